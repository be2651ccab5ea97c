package coll

import (
	"bytes"
	"fmt"
)

// Checker finds calls whose synchronization modes promise less than the program takes
// for granted: the program makes its calls and barriers through it, and tells which of
// its data it reads and writes between them. What it finds follows from the order of
// these alone; what a value was follows from the run.
type Checker struct {
	c        *Comm
	calls    int
	touched  []touch  // since all members were known to have come here
	open     []opened // calls that may still move data
	findings []*Finding
	waiting  []*Finding // whose value is not known yet
}

// touch is data that the program has read or written.
type touch struct {
	buf    []byte
	writes bool
}

// opened is a call that the others may still be in.
type opened struct {
	number int
	call   Call
}

// Finding is an access that a mode does not allow.
type Finding struct {
	Call   int    // which one, from 1
	What   string // of the call
	Before bool   // the access came before the call; else after it
	Writes bool
	Mode   Sync   // that the call has on that side
	Seen   []byte // what a read got
	Then   []byte // what stands there once all are known to have ended
	buf    []byte
}

// Harm says what became of a read: it got what is there in the end ("none"), nothing of
// it ("stale"), or some ("torn"). "": it is not known.
func (f *Finding) Harm() string {
	if f.Seen == nil || f.Then == nil {
		return ""
	}
	same := 0
	for i, b := range f.Seen {
		if b == f.Then[i] {
			same++
		}
	}
	switch same {
	case len(f.Seen):
		return "none"
	case 0:
		return "stale"
	}
	return "torn"
}

// String tells it with a hint.
func (f *Finding) String() string {
	access, side, when := "read", "out", "after"
	if f.Writes {
		access = "written"
	}
	if f.Before {
		side, when = "in", "before"
	}
	s := fmt.Sprintf("call %d, %s: its data are %s %s it, and it has %s %s", f.Call, f.What, access, when, f.Mode, side)
	if harm := f.Harm(); harm == "stale" || harm == "torn" {
		s += fmt.Sprintf(": a %s value (%x, then %x)", harm, f.Seen, f.Then)
	}
	return s + fmt.Sprintf("; use %s, or a barrier between them", MySync)
}

// Check gives a checker of the Comm's calls at this member.
func (c *Comm) Check() *Checker { return &Checker{c: c} }

// Do is Comm.Do.
func (k *Checker) Do(call Call) error {
	k.calls++
	what := call.Key.Algorithm.Collective
	if call.Key.In == AllSync {
		k.all()
	}
	rel := wrap(int32(k.c.team.Rank()-call.Root), call.Key.Ranks)
	if call.Key.In == NoSync {
		for _, t := range k.touched {
			if what.uses(Out, rel) && overlap(t.buf, call.Out) || t.writes && what.uses(In, rel) && overlap(t.buf, call.In) {
				k.findings = append(k.findings, &Finding{Call: k.calls, What: what.String(), Before: true, Writes: t.writes, Mode: NoSync})
			}
		}
	}
	err := k.c.Do(call)
	switch call.Key.Out {
	case AllSync:
		k.all()
	case NoSync:
		k.open = append(k.open, opened{k.calls, call})
	}
	return err
}

// Barrier is a barrier of the team: all members come to it.
func (k *Checker) Barrier() error {
	err := k.c.r.Barrier(k.c.team)
	k.all()
	return err
}

// all forgets what came before: every member is known to have come this far.
func (k *Checker) all() {
	for _, f := range k.waiting {
		f.Then = bytes.Clone(f.buf)
	}
	k.touched, k.open, k.waiting = k.touched[:0], k.open[:0], k.waiting[:0]
}

// Reads and Writes say that the program now reads or writes data of its own. A read
// looks at them as they are at the rank's own time.
func (k *Checker) Reads(buf []byte) {
	k.c.r.Progress()
	k.touch(buf, false)
}

// Writes is Reads for a write.
func (k *Checker) Writes(buf []byte) { k.touch(buf, true) }

func (k *Checker) touch(buf []byte, writes bool) {
	k.touched = append(k.touched, touch{buf, writes})
	for i := range k.open {
		o := &k.open[i]
		what := o.call.Key.Algorithm.Collective
		rel := wrap(int32(k.c.team.Rank()-o.call.Root), o.call.Key.Ranks)
		if !(what.uses(Out, rel) && overlap(buf, o.call.Out)) && !(writes && what.uses(In, rel) && overlap(buf, o.call.In)) {
			continue
		}
		f := &Finding{Call: o.number, What: what.String(), Writes: writes, Mode: NoSync, buf: buf}
		if !writes {
			f.Seen = bytes.Clone(buf)
			k.waiting = append(k.waiting, f)
		}
		k.findings = append(k.findings, f)
	}
}

// Findings are what was found, in the order of the program.
func (k *Checker) Findings() []*Finding { return k.findings }
