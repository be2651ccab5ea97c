package addressspace

import (
	"fmt"
	"os"
	"syscall"
)

// least is the smallest limit with which the command starts reliably. Most of it is never used: the
// runtime reserves 0.6 GB for its tables, and with cgo the C library reserves memory for each thread.
// On Linux/amd64 with cgo, starts failed with 1.5 GB and not with 2 GB. Below 1 GB, the runtime may
// fail before any package is initialized.
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
