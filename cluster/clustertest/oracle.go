package clustertest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// Judge checks what an execution received. Every message was received once, with its
// envelope and data: by the receive that it has in a sequential run, where that is
// determined. Elsewhere none overtook another. Of one sending thread's messages that two
// receives of one thread match, the one that was posted earlier has the earlier message
// (MPI-4.0, section 3.5). If locks order the sends of a rank and the receives of
// another, this holds for all their threads.
func (x *Play) Judge() error {
	taken := make([]bool, len(x.msgs))
	for dst := range x.ranks {
		for thread, got := range x.ranks[dst].got {
			type source struct {
				in  matching
				src actor
			}
			last := map[source]int{}
			for _, g := range got {
				at := actor{dst, thread}
				index, err := x.which(g, at)
				if err != nil {
					return err
				}
				if taken[index] {
					return fmt.Errorf("rank %d thread %d received message %d twice: %+v", dst, thread, index, x.msgs[index])
				}
				taken[index] = true
				s := source{x.msgs[g.index].receives(), x.msgs[index].src}
				if before, ok := last[s]; ok && before > index {
					return fmt.Errorf("rank %d thread %d received message %d after message %d of the same thread, which overtook it",
						dst, thread, index, before)
				}
				last[s] = index
			}
		}
		if err := x.judgeOrdered(dst); err != nil {
			return err
		}
	}
	if i := slices.Index(taken, false); i >= 0 {
		return fmt.Errorf("message %d was not received: %+v", i, x.msgs[i])
	}
	return nil
}

// receives names the receives that match the same messages as the one of m.
func (m *message) receives() matching {
	in := matching{team: m.team, src: actor{-1, -1}, dst: actor{m.dst.rank, -1}, tag: m.recvTag}
	if !m.stream.open() {
		in.src, in.tag = m.src, -1
	}
	if m.stream == exact {
		in.tag = m.tag
	}
	if m.stream == sharedSource {
		in.src.rank = m.src.rank
	}
	return in
}

// which finds the message that a receive took, and checks it.
func (x *Play) which(g *received, at actor) (int, error) {
	posted, index := &x.msgs[g.index], g.index
	switch posted.stream {
	case exact, fifo:
	case anySource, sharedTag:
		if g.st.Bytes < 8 || g.st.Bytes > int64(g.buf.Len()) {
			return 0, fmt.Errorf("receive %d of %+v took %d B", g.index, at, g.st.Bytes)
		}
		index = int(binary.NativeEndian.Uint64(g.buf.Slice()))
	default:
		index = g.st.Tag
	}
	if index < 0 || index >= len(x.msgs) {
		return 0, fmt.Errorf("receive %d of %+v took message %d of %d", g.index, at, index, len(x.msgs))
	}
	m := &x.msgs[index]
	source := slices.Index(x.teams[m.team].members, m.src.rank)
	switch {
	case m.receives() != posted.receives() || m.dst.rank != at.rank || !m.stream.shared() && m.dst != at:
		return 0, fmt.Errorf("receive %d of %+v took message %d, which it does not match: %+v", g.index, at, index, *m)
	case g.st.Source != source || g.st.Tag != m.tag || g.st.Bytes != int64(m.size):
		return 0, fmt.Errorf("receive %d of %+v: %+v, want message %d: %+v", g.index, at, g.st, index, *m)
	case !bytes.Equal(g.buf.Slice()[:m.size], payload(index, m.size)):
		return 0, fmt.Errorf("receive %d of %+v has other data than message %d: %+v", g.index, at, index, *m)
	}
	return index, nil
}

// judgeOrdered checks a rank's receives that locks order.
func (x *Play) judgeOrdered(dst int) error {
	var list []*received
	for _, got := range x.ranks[dst].got {
		for _, g := range got {
			if g.post > 0 {
				list = append(list, g)
			}
		}
	}
	slices.SortFunc(list, func(a, b *received) int { return cmp.Compare(a.post, b.post) })
	type source struct{ team, rank int }
	last := map[source]int{}
	for _, g := range list {
		m := &x.msgs[g.st.Tag]
		s := source{m.team, m.src.rank}
		if before, ok := last[s]; ok && x.stamps[before] > x.stamps[g.st.Tag] {
			return fmt.Errorf("rank %d matched receive %d with message %d of rank %d, which was sent before message %d of "+
				"an earlier receive", dst, g.post, g.st.Tag, m.src.rank, before)
		}
		last[s] = g.st.Tag
	}
	return nil
}
