package engine

import (
	"fmt"
	"slices"
)

// Check rejects a decoded snapshot that no session publishes and that could crash a screen. It does not check the
// scenario.
func (s *Snapshot) Check() error {
	if s.Layout.Nodes == 0 && len(s.Ranks) == 0 {
		return nil
	}
	if err := s.Layout.Validate(); err != nil {
		return err
	}
	n := s.Layout.Ranks()
	if len(s.Ranks) != 0 && len(s.Ranks) != n {
		return fmt.Errorf("%d ranks: want %d", len(s.Ranks), n)
	}
	for i := range s.Ranks {
		if r := &s.Ranks[i]; r.Node < 0 || r.Node >= s.Layout.Nodes || r.Group < 0 || r.Group >= n {
			return fmt.Errorf("rank %d: node %d or group %d out of range", i, r.Node, r.Group)
		}
	}
	if s.NodePairs != nil && len(s.NodePairs) != s.Layout.Nodes {
		return fmt.Errorf("traffic from %d nodes: want %d", len(s.NodePairs), s.Layout.Nodes)
	}
	for _, p := range s.NodePairs {
		if len(p) != s.Layout.Nodes {
			return fmt.Errorf("traffic from %d nodes to %d: want equal numbers", s.Layout.Nodes, len(p))
		}
	}
	if r := &s.Recent; r.Nodes < 0 || r.Pairs != nil && len(r.Pairs) != r.Blocks(s.Layout.Nodes)*r.Blocks(s.Layout.Nodes) {
		return fmt.Errorf("%d pairs of blocks of %d nodes: wrong number", len(r.Pairs), r.Nodes)
	}
	if !slices.Contains(Kinds, s.Kind) {
		return fmt.Errorf("unknown kind of number %q", s.Kind)
	}
	return nil
}
