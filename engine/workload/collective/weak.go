package collective

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// checked makes a call as a program does that takes its modes to be strict: it writes its
// data just before and reads them just after, with no barrier between. What the modes do
// not promise of that is found by the library's checker.
func (t *team) checked() error {
	x := t.call(t.proof, t.proving)
	k := t.proving.comm.Check()
	for _, buf := range [][]byte{t.data.give(), t.data.get()} {
		if len(buf) > 0 {
			k.Writes(buf)
		}
	}
	x.fill(&t.data)
	if err := k.Do(t.of(x, t.proving, true)); err != nil {
		return err
	}
	if out := t.data.get(); len(out) > 0 {
		k.Reads(out)
	}
	if err := k.Barrier(); err != nil {
		return err
	}
	found, harm := worst(k.Findings())
	mine, all := []int64{0}, []int64{0}
	if found != nil {
		if mine[0] = 1<<32 - int64(t.me); harm {
			mine[0] += 1 << 32
		}
	}
	if err := coll.Allreduce(t.r, t.r.World(), cluster.Max, mine, all); err != nil {
		return err
	}
	switch {
	case all[0] == 0:
		t.note(x.check(&t.data))
	case mine[0] == all[0]:
		t.weak = found.String()
	default:
		t.weak = another
	}
	return nil
}

// another is what a rank says of modes about which another one tells more: of the ranks
// that have read a wrong value the first tells, or else of those that have found something.
const another = "another rank tells"

// worst is the first finding that did harm, or else the first; nil: there is none.
func worst(found []*coll.Finding) (told *coll.Finding, harm bool) {
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
