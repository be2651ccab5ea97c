// Package all imports all workloads, which registers them. Only the example ring is missing.
package all

import (
	_ "github.com/hybridtop/hybridtop/engine/workload/access"
	_ "github.com/hybridtop/hybridtop/engine/workload/barneshut"
	_ "github.com/hybridtop/hybridtop/engine/workload/beff"
	_ "github.com/hybridtop/hybridtop/engine/workload/cartesian"
	_ "github.com/hybridtop/hybridtop/engine/workload/cholesky"
	_ "github.com/hybridtop/hybridtop/engine/workload/collective"
	_ "github.com/hybridtop/hybridtop/engine/workload/dot"
	_ "github.com/hybridtop/hybridtop/engine/workload/fft"
	_ "github.com/hybridtop/hybridtop/engine/workload/gemm"
	_ "github.com/hybridtop/hybridtop/engine/workload/headtohead"
	_ "github.com/hybridtop/hybridtop/engine/workload/heat"
	_ "github.com/hybridtop/hybridtop/engine/workload/msgrate"
	_ "github.com/hybridtop/hybridtop/engine/workload/multigrid"
	_ "github.com/hybridtop/hybridtop/engine/workload/pingpong"
	_ "github.com/hybridtop/hybridtop/engine/workload/randomaccess"
	_ "github.com/hybridtop/hybridtop/engine/workload/reduction"
	_ "github.com/hybridtop/hybridtop/engine/workload/spmv"
)
