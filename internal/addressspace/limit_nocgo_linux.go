//go:build !cgo

package addressspace

import (
	"fmt"
	"os"
	"syscall"
)

// least is the smallest limit with which the command starts with and without cgo. Most of it is never
// used: the runtime reserves 0.6 GB for its tables. On Linux/amd64 without cgo, starts succeed from
// 0.8 GB on. Below 0.7 GB the runtime fails before it initializes a package, so no check is possible.
const least = 2 << 30

func init() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur >= least {
		return
	}
	fmt.Fprintf(os.Stderr, "hybridtop: address space: limit of %d MiB, want at least %d MiB (run: ulimit -v unlimited)\n",
		limit.Cur>>20, least>>20)
	os.Exit(1)
}
