package engine

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// LaunchCommand is a command that starts a program on a layout, by a launcher of today.
type LaunchCommand struct {
	Name    string // short, for a command line
	Title   string // the launcher
	Command string // ready for a shell, in an allocation of the layout's nodes
}

// Launches are the commands that place program's ranks and threads as the layout
// does, the first the usual one. Each rank is bound to a core a thread.
//
// They do not start UPC groups, which only paper 1's runtime does (LaunchLine):
// every process has an MPI rank, numbered in launch order, so that groups are runs
// of consecutive ranks.
func Launches(l *cluster.Layout, program string) []LaunchCommand {
	return []LaunchCommand{
		{"openmpi", "Open MPI 4.1 or 5", openMPI(l, program)},
		{"mpich", "MPICH (Hydra)", mpich(l, program)},
		{"slurm", "Slurm", slurm(l, program)},
	}
}

// openMPI names the ranking too: its default follows from the mapping, by rules
// that differ between versions.
func openMPI(l *cluster.Layout, program string) string {
	place := fmt.Sprintf("--map-by ppr:%d:node:PE=%d --rank-by slot", l.RanksPerNode, l.ThreadsPerRank)
	if l.Ranking == cluster.RoundRobin {
		place = fmt.Sprintf("--map-by node:PE=%d --rank-by node", l.ThreadsPerRank)
	}
	return fmt.Sprintf("mpirun -n %d %s --bind-to core \\\n    -x OMP_NUM_THREADS=%d %s", l.Ranks(), place, l.ThreadsPerRank, program)
}

// mpich deals round-robin by a node's share of one: Hydra begins anew at the first
// node when each has its share. Its -rr is Intel MPI's only.
func mpich(l *cluster.Layout, program string) string {
	share := l.RanksPerNode
	if l.Ranking == cluster.RoundRobin {
		share = 1
	}
	return fmt.Sprintf("mpiexec -n %d -ppn %d -bind-to core:%d \\\n    -genv OMP_NUM_THREADS %d %s", l.Ranks(), share, l.ThreadsPerRank, l.ThreadsPerRank, program)
}

// slurm says the CPUs of a task to srun itself, which does not take them from the
// allocation since 22.05.
func slurm(l *cluster.Layout, program string) string {
	order := "block"
	if l.Ranking == cluster.RoundRobin {
		order = "cyclic"
	}
	return fmt.Sprintf("srun --nodes=%d --ntasks=%d --ntasks-per-node=%d --cpus-per-task=%d \\\n"+
		"    --distribution=%s --cpu-bind=cores \\\n    --export=ALL,OMP_NUM_THREADS=%d %s",
		l.Nodes, l.Ranks(), l.RanksPerNode, l.ThreadsPerRank, order, l.ThreadsPerRank, program)
}

// shownTasks is how many groups LaunchLine writes out.
const shownTasks = 2

// LaunchLine is the command that starts program on this layout with a real MPI
// and UPC, as paper 1 gives it (section 3.3): a task of mpiexec a UPC group, each
// told its hosts by a file of its own; --ranks-per-proc, the authors' extension of
// Hydra, where a task has an MPI rank a UPC thread. Of more groups than three the
// first two are written and the rest is "...", as in the paper; FullLaunchLine has
// them all. Threads in a rank are OpenMP's, told by its environment variable.
func LaunchLine(l *cluster.Layout, program string) string {
	if l.Groups() <= shownTasks+1 {
		return FullLaunchLine(l, program)
	}
	return launchLine(l, program, shownTasks) + " \\\n  : ..."
}

// FullLaunchLine is LaunchLine with every group written out, ready for a shell.
func FullLaunchLine(l *cluster.Layout, program string) string {
	return launchLine(l, program, l.Groups())
}

func launchLine(l *cluster.Layout, program string, tasks int) string {
	var b strings.Builder
	if l.ThreadsPerRank > 1 {
		fmt.Fprintf(&b, "OMP_NUM_THREADS=%d ", l.ThreadsPerRank)
	}
	b.WriteString("mpiexec")
	if l.Model != cluster.NestedFunneled {
		fmt.Fprintf(&b, " --ranks-per-proc=%d", l.GroupSize())
	}
	upcrun := fmt.Sprintf("upcrun -n %d %s", l.GroupSize(), program)
	if l.Model == cluster.Flat {
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
