//go:build linux && (amd64 || arm64)

package main

import (
	"os"

	"github.com/hybridtop/hybridtop/cluster/mpi"
	"github.com/hybridtop/hybridtop/engine/job"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

func main() { os.Exit(job.Run(os.Args[1:], open)) }

func open() (job.Carrier, error) { return mpi.Open() }
