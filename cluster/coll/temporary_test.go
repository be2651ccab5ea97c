package coll

import "testing"

// No broadcast by messages has a temporary buffer, so the memory of a large team is known without
// its schedules.
func TestBroadcastsHaveNoTemporaryBuffers(t *testing.T) {
	for _, a := range Of(OpBcast) {
		if a.Needs&Reach != 0 {
			continue // by loads
		}
		for ranks := 1; ranks <= 33; ranks++ {
			k, err := a.Key(Parameters{Ranks: ranks, Segments: 3})
			if err != nil {
				k, err = a.Key(Parameters{Ranks: ranks})
			}
			if err != nil {
				continue // restricted
			}
			for rel := range k.Ranks {
				if s := k.Make(rel); len(s.Temps) > 0 {
					t.Errorf("%s among %d: rank %d after the root has %d", a.Name, ranks, rel, len(s.Temps))
				}
			}
		}
	}
}
