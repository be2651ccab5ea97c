package rma

import (
	"slices"
	"sort"

	"github.com/hybridtop/hybridtop/cluster"
)

// ranges is a set of bytes of a window, as spans in rising order that neither overlap nor touch.
type ranges []cluster.Span

// overlaps reports whether the set contains a byte of v.
func (s ranges) overlaps(v cluster.Span) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i].Off+s[i].Len > v.Off })
	return v.Len > 0 && i < len(s) && s[i].Off < v.Off+v.Len
}

// add adds the bytes of v to the set.
func (s *ranges) add(v cluster.Span) {
	if v.Len == 0 {
		return
	}
	first, end := v.Off, v.Off+v.Len
	i := sort.Search(len(*s), func(i int) bool { return (*s)[i].Off+(*s)[i].Len >= first })
	j := sort.Search(len(*s), func(j int) bool { return (*s)[j].Off > end })
	if i < j {
		first = min(first, (*s)[i].Off)
		end = max(end, (*s)[j-1].Off+(*s)[j-1].Len)
	}
	*s = slices.Replace(*s, i, j, cluster.Span{Off: first, Len: end - first})
}

// accesses records a rank's accesses to one target's window within an epoch.
type accesses struct{ put, got, added ranges }

// conflict returns the kind of an earlier access that conflicts with an access to v in the same
// epoch, or "". Written bytes may be neither read nor written again (paper 1, section 2.1,
// "Ordering"), and only accumulates may overlap accumulates.
func (a *accesses) conflict(kind string, v cluster.Span) string {
	switch {
	case a.put.overlaps(v):
		return "put"
	case kind != "get" && a.got.overlaps(v):
		return "get"
	case kind != "accumulate" && a.added.overlaps(v):
		return "accumulate"
	}
	return ""
}

// note records an access.
func (a *accesses) note(kind string, v cluster.Span) {
	switch kind {
	case "put":
		a.put.add(v)
	case "get":
		a.got.add(v)
	case "accumulate":
		a.added.add(v)
	}
}

// clear clears a for the next epoch.
func (a *accesses) clear() {
	a.put = a.put[:0]
	a.got = a.got[:0]
	a.added = a.added[:0]
}
