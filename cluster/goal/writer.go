package goal

import (
	"bufio"
	"fmt"
	"io"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Write writes the schedules of a whole team as GOAL text. The tag of a message is its match tag in
// the schedule. A copy or a combination is a calculation that takes c's time in whole nanoseconds.
// An empty message has one byte, because GOAL has no empty messages.
func Write(w io.Writer, k coll.Key, root int32, blocks coll.Blocks, c coll.Cost) error {
	needs := ""
	switch {
	case k.Algorithm.Needs&coll.Reach != 0:
		needs = "loads from other ranks' memory"
	case k.Algorithm.Needs&coll.Network != 0:
		needs = "uses the collective network"
	}
	if needs != "" {
		return fmt.Errorf("%s by %s: cannot export to GOAL: the algorithm %s", k.Algorithm.Collective, k.Algorithm.Name,
			needs)
	}
	bound, err := k.Bind(root, blocks)
	if err != nil {
		return err
	}
	out := newWriter(w, len(bound))
	for r := range bound {
		p := &bound[r]
		s := p.Schedule
		out.begin(r)
		for i := range s.Nodes {
			n := &s.Nodes[i]
			o := Op{Kind: Calc, Peer: p.Peer(n.Peer), Tag: int32(n.Channel), Size: max(p.Bytes(n.Ref), 1)}
			switch n.Kind {
			case coll.Send:
				o.Kind = Send
			case coll.Recv:
				o.Kind = Recv
			default:
				o.Size = wholeNs(c.Local(n.Kind, p.Bytes(n.From)))
			}
			out.op(int32(i), &o)
		}
		for i := range s.Nodes {
			for _, next := range s.Next(i) {
				out.requires(next, int32(i), false)
			}
		}
		out.end()
	}
	return out.Flush()
}

// wholeNs rounds a time to nanoseconds.
func wholeNs(t cluster.Time) int64 {
	return int64((t + cluster.Nanosecond/2) / cluster.Nanosecond)
}

// writer writes GOAL text. It labels operations by their number, from l1 on.
type writer struct{ *bufio.Writer }

func newWriter(w io.Writer, ranks int) writer {
	out := writer{bufio.NewWriterSize(w, 1<<16)}
	fmt.Fprintf(out, "num_ranks %d\n", ranks)
	return out
}

// begin begins the operations of a rank.
func (w writer) begin(rank int) { fmt.Fprintf(w, "\nrank %d {\n", rank) }

// end ends them.
func (w writer) end() { fmt.Fprintln(w, "}") }

// op writes operation i of a rank.
func (w writer) op(i int32, o *Op) {
	switch o.Kind {
	case Send:
		fmt.Fprintf(w, "l%d: send %db to %d tag %d\n", i+1, o.Size, o.Peer, o.Tag)
	case Recv:
		fmt.Fprintf(w, "l%d: recv %db from %d tag %d\n", i+1, o.Size, o.Peer, o.Tag)
	default:
		fmt.Fprintf(w, "l%d: calc %d\n", i+1, o.Size)
	}
}

// requires writes that an operation waits until another one is complete, or has started.
func (w writer) requires(op, before int32, started bool) {
	word := "requires"
	if started {
		word = "irequires"
	}
	fmt.Fprintf(w, "l%d %s l%d\n", op+1, word, before+1)
}
