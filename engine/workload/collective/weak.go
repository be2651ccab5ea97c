package collective

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// callChecked does a call like a program that relies on strict modes: it writes its data directly
// before the call and reads them directly after it, without a barrier. The library's checker finds
// violations of the actual modes.
func (t *team) callChecked() error {
	at := t.verified
	x := t.call(at)
	k := at.comm.Check()
	for _, buf := range [][]byte{at.data.inBytes(), at.data.outBytes()} {
		if len(buf) > 0 {
			k.Writes(buf)
		}
	}
	at.fill(x)
	if err := k.Do(t.libraryCall(x, at)); err != nil {
		return err
	}
	if out := at.data.outBytes(); len(out) > 0 {
		k.Reads(out)
	}
	if err := k.Barrier(); err != nil {
		return err
	}
	found, harm := worstFinding(k.Findings())
	all := make([]byte, t.r.World().Size()) // by rank: 2 for a wrong value, 1 for any other finding
	mine := []byte{0}
	switch {
	case harm:
		mine[0] = 2
	case found != nil:
		mine[0] = 1
	}
	if err := coll.Allgather(t.r, t.r.World(), cluster.Of(mine), cluster.Of(all)); err != nil {
		return err
	}
	highest := slices.Max(all)
	switch {
	case highest == 0:
		t.noteWrong(x.check(&at.data))
	case slices.Index(all, highest) == t.me:
		t.violation = found.String()
	default:
		t.violation = otherRank
	}
	return nil
}

// otherRank is the message of the other ranks. Only one rank reports its finding: the first rank
// with a wrong value, or without wrong values the first rank with a finding.
const otherRank = "another rank reports it"

// worstFinding returns the first finding with a wrong value, or else the first finding, or nil.
func worstFinding(found []*coll.Finding) (finding *coll.Finding, harm bool) {
	for _, f := range found {
		if is := f.Harm(); is == "stale" || is == "torn" {
			return f, true
		}
	}
	if len(found) > 0 {
		return found[0], false
	}
	return nil, false
}
