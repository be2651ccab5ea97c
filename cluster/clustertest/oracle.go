package clustertest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"testing"
)

// longest is the length of the program's longest message.
func (g *program) longest() int {
	n := 0
	for i := range g.msgs {
		n = max(n, g.msgs[i].size)
	}
	return n
}

// judge checks the histories of a run, by rank: every message was received once,
// with its envelope and data, by the receive that a sequential run gives it to
// where that is determined, and otherwise in the order of its source.
func (g *program) judge(hs []history) error {
	taken := make([]bool, len(g.msgs))
	type lane struct {
		stream stream
		dst    int
	}
	lanes := map[lane][]received{}
	var order []lane
	for dst, h := range hs {
		for _, r := range h {
			m := &g.msgs[r.index]
			if m.dst != dst {
				return fmt.Errorf("rank %d made a receive of rank %d", dst, m.dst)
			}
			if !m.stream.open() {
				if err := g.is(r, r.index); err != nil {
					return err
				}
				taken[r.index] = true
				continue
			}
			l := lane{m.stream, dst}
			if lanes[l] == nil {
				order = append(order, l)
			}
			lanes[l] = append(lanes[l], r)
		}
	}
	for _, l := range order {
		rs := lanes[l]
		slices.SortFunc(rs, func(a, b received) int { return cmp.Compare(g.msgs[a.index].order, g.msgs[b.index].order) })
		next := make([]int, g.ranks) // where to look for a source's next message
		for _, r := range rs {
			src := r.st.Source
			if src < 0 || src >= g.ranks {
				return fmt.Errorf("rank %d received from rank %d of %d", l.dst, src, g.ranks)
			}
			i := next[src]
			for i < len(g.msgs) && !(g.msgs[i].stream == l.stream && g.msgs[i].dst == l.dst && g.msgs[i].src == src) {
				i++
			}
			if i == len(g.msgs) {
				return fmt.Errorf("rank %d received more messages from %d than were sent", l.dst, src)
			}
			if err := g.is(r, i); err != nil {
				return err
			}
			taken[i] = true
			next[src] = i + 1
		}
	}
	if i := slices.Index(taken, false); i >= 0 {
		return fmt.Errorf("message %d was not received: %+v", i, g.msgs[i])
	}
	return nil
}

// is checks that what was received is a certain message.
func (g *program) is(r received, index int) error {
	m := &g.msgs[index]
	if r.st.Source != m.src || r.st.Tag != m.tag || r.st.Bytes != int64(m.size) {
		return fmt.Errorf("receive %d of rank %d: %+v, want message %d: %+v", r.index, m.dst, r.st, index, *m)
	}
	if !bytes.Equal(r.buf[:m.size], data(m.size, index)) {
		return fmt.Errorf("receive %d of rank %d: the data are not those of message %d: %+v", r.index, m.dst, index, *m)
	}
	return nil
}

func (s *suite) testPrograms(t *testing.T) {
	for i := range s.times(s.programs) {
		seed := s.seed + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			g := generate(seed, s.spec(2).Segment)
			spec := s.spec(g.ranks)
			spec.EagerLimit = g.limit
			hs := make([]history, g.ranks)
			err := s.launch(t, spec, func(p *proc) { hs[p.ID()] = g.play(p) })
			if err == nil {
				err = g.judge(hs)
			}
			if err != nil {
				t.Fatalf("the program of seed %d (%d ranks, eager limit %d, %d messages, %d puts): %v", seed, g.ranks, g.limit, len(g.msgs), len(g.puts), err)
			}
		})
	}
}
