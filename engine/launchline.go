package engine

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// A LaunchCommand starts a program on a layout with a current launcher.
type LaunchCommand struct {
	Name    string // short, for a command line
	Title   string // the launcher
	Command string // ready for a shell, in an allocation of the layout's nodes
}

// Launches returns the commands that place a program's ranks and threads as the layout does, the
// most common one first. Each rank is bound to one core per thread, if the launcher can.
//
// The commands do not start UPC groups: only the runtime of paper 1 does (LaunchLine). Every
// process has an MPI rank, numbered in launch order, so that groups are runs of consecutive
// ranks.
func Launches(l *cluster.Layout, program string) []LaunchCommand {
	return []LaunchCommand{
		{Name: "openmpi", Title: "Open MPI 4.1 or 5", Command: openMPI(l, program)},
		{Name: "mpich", Title: "MPICH (Hydra)", Command: mpich(l, program)},
		{Name: "slurm", Title: "Slurm", Command: slurm(l, program)},
	}
}

// hostFile is the name of the file that rankings need which no launcher has: line n names the node of
// rank n − 1 (docs/placement.md).
const hostFile = "hosts"

// openMPI also states the ranking: its default depends on the mapping, by rules that differ
// between versions.
func openMPI(l *cluster.Layout, program string) string {
	place, bind := "", "core"
	switch l.Ranking {
	case cluster.Sequential:
		place = fmt.Sprintf("--map-by ppr:%d:node:PE=%d --rank-by slot", l.RanksPerNode, l.ThreadsPerRank)
	case cluster.RoundRobin:
		place = fmt.Sprintf("--map-by node:PE=%d --rank-by node", l.ThreadsPerRank)
	case cluster.PerSocket:
		place = fmt.Sprintf("--map-by socket:PE=%d --rank-by slot", l.ThreadsPerRank)
	default:
		place = fmt.Sprintf("--hostfile %s --map-by seq", hostFile)
		if l.ThreadsPerRank > 1 {
			bind = "none" // seq has no cores per rank
		}
	}
	return fmt.Sprintf("mpirun -n %d %s --bind-to %s \\\n    -x OMP_NUM_THREADS=%d %s", l.Ranks(), place, bind,
		l.ThreadsPerRank, program)
}

// mpich places ranks round-robin with -ppn 1: Hydra starts again at the first node when each
// node has its share. The option -rr only exists in Intel MPI.
func mpich(l *cluster.Layout, program string) string {
	share, place := l.RanksPerNode, ""
	switch l.Ranking {
	case cluster.Sequential:
	case cluster.RoundRobin:
		share = 1
	case cluster.PerSocket:
		place = " -map-by socket"
	default:
		share, place = 1, " -f "+hostFile
	}
	return fmt.Sprintf("mpiexec -n %d -ppn %d -bind-to core:%d%s \\\n    -genv OMP_NUM_THREADS %d %s", l.Ranks(), share,
		l.ThreadsPerRank, place, l.ThreadsPerRank, program)
}

// slurm passes the CPUs per task to srun itself: since version 22.05, srun does not inherit them
// from the allocation.
func slurm(l *cluster.Layout, program string) string {
	order, hosts := "block", ""
	switch l.Ranking {
	case cluster.Sequential:
	case cluster.RoundRobin:
		order = "cyclic"
	case cluster.PerSocket:
		order = "block:cyclic"
	default:
		order, hosts = "arbitrary", "SLURM_HOSTFILE="+hostFile+" "
	}
	return hosts + fmt.Sprintf("srun --nodes=%d --ntasks=%d --ntasks-per-node=%d --cpus-per-task=%d \\\n"+
		"    --distribution=%s --cpu-bind=cores \\\n    --export=ALL,OMP_NUM_THREADS=%d %s",
		l.Nodes, l.Ranks(), l.RanksPerNode, l.ThreadsPerRank, order, l.ThreadsPerRank, program)
}

// shownTasks is the number of groups that LaunchLine writes if there are more than three.
const shownTasks = 2

// LaunchLine returns the command that starts a program on this layout with a real MPI and UPC,
// as in paper 1, section 3.3. Each UPC group is one task of mpiexec, with its own file of hosts.
// The option --ranks-per-proc is the authors' extension of Hydra. It is used if a task has one
// MPI rank per UPC thread. If there are more than three groups, LaunchLine writes the first two
// and "...", as in the paper; FullLaunchLine writes all. Threads in a rank are OpenMP threads,
// whose number is set by the environment variable.
func LaunchLine(l *cluster.Layout, program string) string {
	if l.Groups() <= shownTasks+1 {
		return FullLaunchLine(l, program)
	}
	return launchLine(l, program, shownTasks) + " \\\n  : ..."
}

// FullLaunchLine returns LaunchLine with all groups, ready for a shell.
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
