package coll

import "testing"

// The number of requests before a put: the result for large teams follows from small ones.
func TestAsksFirst(t *testing.T) {
	for _, c := range []struct {
		what  Collective
		name  string
		ranks int
		want  int
	}{
		{OpBcast, "flat", 8, 1}, {OpBcast, "chain", 4096, 1}, {OpScatter, "flat", 4096, 1}, {OpScatter, "knomial", 8, 0},
		{OpReduce, "knomial", 1024, 0}, {OpAllgather, "bruck", 1024, 0}, {OpAllgather, "ring", 4096, 1},
		{OpExchange, "flat", 16, 15}, {OpExchange, "pairwise", 64, 63}, {OpExchange, "flat", 65536, 65535},
		{OpAllgather, "recursive-doubling", 65536, 16},
	} {
		a, err := Find(c.what, c.name)
		if err != nil {
			t.Fatal(err)
		}
		k, err := a.Key(Parameters{Ranks: c.ranks, Modes: Modes{Transfer: Put}})
		if err != nil {
			t.Fatal(err)
		}
		if got := k.firstCTSCount(); got != c.want {
			t.Errorf("%s by %s, ranks %d: %d, want %d", c.what, c.name, c.ranks, got, c.want)
		}
		k.In = NoSync
		if k.firstCTSCount() != 0 {
			t.Errorf("%s by %s: requests puts that need no request", c.what, c.name)
		}
	}
}
