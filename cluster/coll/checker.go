package coll

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// Checker finds calls whose synchronization modes guarantee less than the program assumes. The
// program makes its calls and barriers through the Checker, and reports its reads and writes
// between them. The findings follow only from the order of these. The values in them come from the
// run.
//
// Before each call the members compare their calls with an allreduce of 16 B, because members that
// call different collectives would receive each other's data.
type Checker struct {
	c        *Comm
	calls    int
	touched  []touch    // since the last point that all members are known to have reached
	open     []openCall // calls that may still move data
	findings []*Finding
	waiting  []*Finding // findings without a known value yet
}

// touch is a read or a write of the program.
type touch struct {
	buf    []byte
	writes bool
}

// openCall is a call that other members may not have ended.
type openCall struct {
	number int
	call   Call
	was    []byte // contents of Out before the call
}

// Finding is an access that a synchronization mode does not permit.
type Finding struct {
	Rank   int    // number in the cluster
	At     int64  // offset of the data in the rank's segment; −1: outside the segment
	Bytes  int    // length of the data
	Call   int    // number of the call, from 1
	What   string // name of the call
	Before bool   // the access was before the call; otherwise after it
	Writes bool
	Mode   Sync   // the call's mode on that side
	Seen   []byte // bytes that a read returned
	Was    []byte // bytes before the call
	Then   []byte // bytes after all members are known to have ended
	buf    []byte
}

// Harm returns the effect on a read: it returned the final bytes ("none"), the bytes before the
// call ("stale"), or a mixture ("torn"). "": unknown.
func (f *Finding) Harm() string {
	switch {
	case f.Seen == nil || f.Then == nil:
		return ""
	case bytes.Equal(f.Seen, f.Then):
		return "none"
	case bytes.Equal(f.Seen, f.Was):
		return "stale"
	}
	return "torn"
}

// String describes the finding, with a hint.
func (f *Finding) String() string {
	access := "read"
	side, when := "out", "after"
	if f.Writes {
		access = "written"
	}
	if f.Before {
		side, when = "in", "before"
	}
	where := ""
	if f.At >= 0 {
		where = fmt.Sprintf(" at %d of its segment", f.At)
	}
	s := fmt.Sprintf("rank %d: call %d, %s: its data (%d B%s) are %s %s it, and it has %s %s", f.Rank, f.Call, f.What,
		f.Bytes, where, access, when, f.Mode, side)
	if harm := f.Harm(); harm == "stale" || harm == "torn" {
		i := 0
		for f.Seen[i] == f.Then[i] {
			i++
		}
		s += fmt.Sprintf(": a %s value (byte %d is %02x, then %02x)", harm, i, f.Seen[i], f.Then[i])
	}
	return s + fmt.Sprintf("; use %s, or a barrier between them", MySync)
}

// Check returns a checker of this member's calls on the Comm.
func (c *Comm) Check() *Checker { return &Checker{c: c} }

// word is the part of a call that members compare: its kind, its position in the registry, its
// parameters, its root and its bytes.
type word [4]int64

func wordOf(call *Call) word {
	k := &call.Key
	modes := int64(k.Transfer) | int64(k.Address)<<8 | int64(k.In)<<16 | int64(k.Out)<<24
	return word{1 + int64(slices.Index(registry, k.Algorithm)), int64(k.Radix)<<32 | int64(k.Segments),
		modes<<32 | int64(call.Root), call.Blocks.Bytes()}
}

func (w word) String() string {
	if w[0] == 0 {
		return "barrier"
	}
	a := registry[w[0]-1]
	s := fmt.Sprintf("%s by %s", a.Collective, a.Name)
	if a.Radix > 0 {
		s += fmt.Sprintf(", radix %d", w[1]>>32)
	}
	if int32(w[1]) > 1 {
		s += fmt.Sprintf(", %d segments", int32(w[1]))
	}
	if a.Collective.Rooted() {
		s += fmt.Sprintf(", from %d", int32(w[2]))
	}
	return s + fmt.Sprintf(", %d B", w[3])
}

// checkSameCall returns an error on all members if their next calls differ. The error lists the
// calls.
func (k *Checker) checkSameCall(mine word) error {
	h := fnv.New64a()
	for _, w := range mine {
		fmt.Fprintln(h, w)
	}
	hash := int64(h.Sum64() >> 1)
	largest, err := k.c.maxima(hash, -hash)
	if err != nil || largest[0] == -largest[1] {
		return err
	}
	words := make([]int64, len(mine)*k.c.team.Size())
	if err := k.c.lib.Allgather("check", k.c.team, cluster.Bytes(mine[:]), cluster.Bytes(words)); err != nil {
		return err
	}
	var which []word // different calls, in the order of the members
	who := map[word][]int{}
	for i := 0; i < len(words); i += len(mine) {
		w := word(words[i : i+len(mine)])
		if who[w] == nil {
			which = append(which, w)
		}
		who[w] = append(who[w], i/len(mine))
	}
	var says []string
	for _, w := range which[:min(len(which), maxNamed)] {
		ranks := who[w]
		text := fmt.Sprintf("rank %d", ranks[0])
		if more := len(ranks) - 1; more > 0 {
			text += fmt.Sprintf(" (and %d more)", more)
		}
		says = append(says, text+" calls "+w.String())
	}
	if more := len(which) - maxNamed; more > 0 {
		says = append(says, fmt.Sprintf("%d other calls", more))
	}
	return k.c.lib.Errorf("call %d on %s: %s: every member must make the same calls in the same order", k.calls,
		k.c.team.Name(), strings.Join(says, "; "))
}

// maxNamed is the maximum number of calls listed in an error.
const maxNamed = 4

// Do checks and runs a call, like Comm.Do.
func (k *Checker) Do(call Call) error {
	k.calls++
	if err := k.checkSameCall(wordOf(&call)); err != nil {
		return err
	}
	what := call.Key.Algorithm.Collective
	if call.Key.In == AllSync {
		k.all()
	}
	rel := wrap(int32(k.c.team.Rank()-call.Root), call.Key.Ranks)
	if call.Key.In == NoSync {
		for _, t := range k.touched {
			if what.uses(Out, rel) && overlap(t.buf, call.Out.Bytes()) ||
				t.writes && what.uses(In, rel) && overlap(t.buf, call.In.Bytes()) {
				f := k.finding(t.buf, k.calls, what)
				f.Before, f.Writes = true, t.writes
			}
		}
	}
	var was []byte
	if call.Key.Out == NoSync && what.uses(Out, rel) {
		was = bytes.Clone(call.Out.Bytes())
	}
	err := k.c.Do(call)
	switch call.Key.Out {
	case AllSync:
		k.all()
	case NoSync:
		k.open = append(k.open, openCall{number: k.calls, call: call, was: was})
	}
	return err
}

// Barrier is a barrier of all members of the team.
func (k *Checker) Barrier() error {
	if err := k.checkSameCall(word{}); err != nil {
		return err
	}
	err := k.c.r.Barrier(k.c.team)
	k.all()
	return err
}

// all drops earlier accesses: every member is known to have reached this point.
func (k *Checker) all() {
	for _, f := range k.waiting {
		f.Then = bytes.Clone(f.buf)
	}
	k.touched = k.touched[:0]
	k.open = k.open[:0]
	k.waiting = k.waiting[:0]
}

// Reads reports that the program now reads local data. It records their current value.
func (k *Checker) Reads(buf []byte) {
	k.c.r.Progress()
	k.touch(buf, false)
}

// Writes reports that the program now writes local data.
func (k *Checker) Writes(buf []byte) { k.touch(buf, true) }

func (k *Checker) touch(buf []byte, writes bool) {
	k.touched = append(k.touched, touch{buf, writes})
	for i := range k.open {
		o := &k.open[i]
		what := o.call.Key.Algorithm.Collective
		rel := wrap(int32(k.c.team.Rank()-o.call.Root), o.call.Key.Ranks)
		if !(what.uses(Out, rel) && overlap(buf, o.call.Out.Bytes())) &&
			!(writes && what.uses(In, rel) && overlap(buf, o.call.In.Bytes())) {
			continue
		}
		f := k.finding(buf, o.number, what)
		f.Writes = writes
		if !writes {
			f.Seen, f.Was = bytes.Clone(buf), o.before(buf)
			k.waiting = append(k.waiting, f)
		}
	}
}

// before returns the bytes of data inside the call's Out before the call; nil: not completely
// known.
func (o *openCall) before(buf []byte) []byte {
	at := offsetIn(o.call.Out.Bytes(), buf)
	if at < 0 || at+int64(len(buf)) > int64(len(o.was)) {
		return nil
	}
	return o.was[at : at+int64(len(buf))]
}

// finding adds a finding about data and a call.
func (k *Checker) finding(buf []byte, call int, what Collective) *Finding {
	f := &Finding{Rank: k.c.r.ID(), At: offsetIn(k.c.r.Segment(), buf), Bytes: len(buf), Call: call, What: what.String(),
		Mode: NoSync, buf: buf}
	k.findings = append(k.findings, f)
	return f
}

// Findings returns the findings in the order of the program.
func (k *Checker) Findings() []*Finding { return k.findings }
