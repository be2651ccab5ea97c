//go:build unix

package atomicfile

import (
	"context"
	"fmt"
	"os"
	"syscall"
)

// limited writes a file that is longer than the limit of this process.
func limited(file string) {
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: 1000}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(Write(context.Background(), file, make([]byte, 2000)))
	os.Exit(0)
}
