package cluster

import (
	"fmt"
	"strings"
)

// shownTasks is how many groups LaunchLine writes out.
const shownTasks = 2

// LaunchLine is the command that starts program on this layout with a real MPI
// and UPC, as paper 1 gives it (section 3.3): a task of mpiexec a UPC group, each
// told its hosts by a file of its own; --ranks-per-proc, the authors' extension of
// Hydra, where a task has an MPI rank a UPC thread. Of more groups than three the
// first two are written and the rest is "...", as in the paper; FullLaunchLine has
// them all. Threads in a rank are OpenMP's, told by its environment variable.
func (l *Layout) LaunchLine(program string) string {
	if l.Groups() <= shownTasks+1 {
		return l.FullLaunchLine(program)
	}
	return l.launchLine(program, shownTasks) + " \\\n  : ..."
}

// FullLaunchLine is LaunchLine with every group written out, ready for a shell.
func (l *Layout) FullLaunchLine(program string) string { return l.launchLine(program, l.Groups()) }

func (l *Layout) launchLine(program string, tasks int) string {
	var b strings.Builder
	if l.ThreadsPerRank > 1 {
		fmt.Fprintf(&b, "OMP_NUM_THREADS=%d ", l.ThreadsPerRank)
	}
	b.WriteString("mpiexec")
	if l.Model != NestedFunneled {
		fmt.Fprintf(&b, " --ranks-per-proc=%d", l.GroupSize())
	}
	upcrun := fmt.Sprintf("upcrun -n %d %s", l.GroupSize(), program)
	if l.Model == Flat {
		return b.String() + " \\\n    " + upcrun
	}
	for k := range tasks {
		lead := "    "
		if k > 0 {
			lead = "  : "
		}
		fmt.Fprintf(&b, " \\\n%s-env HOSTS=hosts.%d %s", lead, k+1, upcrun)
	}
	return b.String()
}
