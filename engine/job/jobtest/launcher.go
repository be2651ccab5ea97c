//go:build unix

package jobtest

import (
	"fmt"
	"os"
	"strconv"
	"sync"

	"github.com/hybridtop/hybridtop/cluster/live/far/socket"
	"github.com/hybridtop/hybridtop/engine/job"
)

// part is a process of a job that is a part of this program.
type part struct{ *socket.Transport }

// Abort implements job.Carrier.
func (part) Abort(code int) { os.Exit(code) }

// Launch runs the command line of a launcher: -n PROCESSES PROGRAM ARGUMENTS. It does not start the program. It
// returns the exit status.
func Launch(args []string) int {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		panic(err)
	}
	files, err := socket.Pairs(n)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var all sync.WaitGroup
	status := make([]int, n)
	for i := range status {
		all.Go(func() {
			status[i] = job.Run(args[3:], func() (job.Carrier, error) {
				t, err := socket.New(i, files[i])
				return part{t}, err
			})
		})
	}
	all.Wait()
	for _, s := range status {
		if s != 0 {
			return s
		}
	}
	return 0
}
