package cluster

import "fmt"

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
func (l *Layout) Launches(program string) []LaunchCommand {
	return []LaunchCommand{
		{"openmpi", "Open MPI 4.1 or 5", l.openMPI(program)},
		{"mpich", "MPICH (Hydra)", l.mpich(program)},
		{"slurm", "Slurm", l.slurm(program)},
	}
}

// openMPI names the ranking too: its default follows from the mapping, by rules
// that differ between versions.
func (l *Layout) openMPI(program string) string {
	place := fmt.Sprintf("--map-by ppr:%d:node:PE=%d --rank-by slot", l.RanksPerNode, l.ThreadsPerRank)
	if l.Ranking == RoundRobin {
		place = fmt.Sprintf("--map-by node:PE=%d --rank-by node", l.ThreadsPerRank)
	}
	return fmt.Sprintf("mpirun -n %d %s --bind-to core \\\n    -x OMP_NUM_THREADS=%d %s", l.Ranks(), place, l.ThreadsPerRank, program)
}

// mpich deals round-robin by a node's share of one: Hydra begins anew at the first
// node when each has its share. Its -rr is Intel MPI's only.
func (l *Layout) mpich(program string) string {
	share := l.RanksPerNode
	if l.Ranking == RoundRobin {
		share = 1
	}
	return fmt.Sprintf("mpiexec -n %d -ppn %d -bind-to core:%d \\\n    -genv OMP_NUM_THREADS %d %s", l.Ranks(), share, l.ThreadsPerRank, l.ThreadsPerRank, program)
}

// slurm says the CPUs of a task to srun itself, which does not take them from the
// allocation since 22.05.
func (l *Layout) slurm(program string) string {
	order := "block"
	if l.Ranking == RoundRobin {
		order = "cyclic"
	}
	return fmt.Sprintf("srun --nodes=%d --ntasks=%d --ntasks-per-node=%d --cpus-per-task=%d \\\n"+
		"    --distribution=%s --cpu-bind=cores \\\n    --export=ALL,OMP_NUM_THREADS=%d %s",
		l.Nodes, l.Ranks(), l.RanksPerNode, l.ThreadsPerRank, order, l.ThreadsPerRank, program)
}
