package coll

import (
	"bufio"
	"fmt"
	"io"

	"github.com/hybridtop/hybridtop/cluster"
)

// WriteGoal writes the schedules of a whole team as GOAL text, which simulators of
// LogGOPS read: operations with labels, and what each requires. A lane is a tag; what
// is copied and combined takes c's time, in whole nanoseconds; an empty message is one
// byte long, as those simulators know none.
func WriteGoal(w io.Writer, k Key, root int32, blocks Blocks, c Cost) error {
	if err := k.check(root); err != nil {
		return err
	}
	if k.Algorithm.Needs&Reach != 0 {
		return fmt.Errorf("%s by %s: GOAL has messages, and no loads of what others have", k.Algorithm.Collective, k.Algorithm.Name)
	}
	if k.Algorithm.Needs&Network != 0 {
		return fmt.Errorf("%s by %s: GOAL has messages, and no collective network", k.Algorithm.Collective, k.Algorithm.Name)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "num_ranks %d\n", k.Ranks)
	cache := &Cache{}
	for r := range k.Ranks {
		rel := wrap(r-root, k.Ranks)
		p := Place{Schedule: cache.Schedule(k, rel), Rel: rel, Root: root, Blocks: blocks}
		fmt.Fprintf(out, "\nrank %d {\n", r)
		s := p.Schedule
		for i := range s.Nodes {
			n := &s.Nodes[i]
			switch n.Kind {
			case Send:
				fmt.Fprintf(out, "l%d: send %db to %d tag %d\n", i+1, max(p.Bytes(n.Ref), 1), p.Peer(n.Peer), n.Lane)
			case Recv:
				fmt.Fprintf(out, "l%d: recv %db from %d tag %d\n", i+1, max(p.Bytes(n.Ref), 1), p.Peer(n.Peer), n.Lane)
			default:
				fmt.Fprintf(out, "l%d: calc %d\n", i+1, (c.work(n.Kind, p.Bytes(n.From))+cluster.Nanosecond/2)/cluster.Nanosecond)
			}
		}
		for i := range s.Nodes {
			for _, next := range s.Next(i) {
				fmt.Fprintf(out, "l%d requires l%d\n", next+1, i+1)
			}
		}
		fmt.Fprintln(out, "}")
	}
	return out.Flush()
}
