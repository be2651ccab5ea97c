package cluster

import (
	"fmt"
	"runtime/debug"
	"strings"
	"unicode/utf8"
)

// Reason is the reason of an abort.
type Reason string

// The reasons of an abort.
const (
	ReasonCancelled Reason = "cancelled"
	ReasonPanic     Reason = "panic"
	ReasonDeadlock  Reason = "deadlock"
	ReasonExit      Reason = "exit" // a rank ended its goroutine (runtime.Goexit)
)

// Abort is the error of a run that ended before its program did.
type Abort struct {
	Reason Reason
	Rank   int    // rank that panicked or ended its goroutine; −1: no single rank
	Cause  error  // of a cancel or a panic
	Stack  string // of a panic, or of the call that ended the goroutine
	Waits  []Wait // waiting ranks: of a deadlock the stuck ranks, otherwise ranks that were parked or polled
}

// Ended returns the abort of a rank whose body panicked with v, or with v = nil ended its
// goroutine. A deferred function of that goroutine calls it.
func Ended(v any, rank int) *Abort {
	a := &Abort{Reason: ReasonExit, Rank: rank, Stack: string(debug.Stack())}
	if v != nil {
		a.Reason = ReasonPanic
		if err, ok := v.(error); ok {
			a.Cause = err
		} else {
			a.Cause = fmt.Errorf("%v", v)
		}
	}
	return a
}

// Wait is one rank that is parked inside a call, or that polls in a loop.
type Wait struct {
	Rank   int
	Thread int
	Call   string // "recv from 1 tag 7"
	Kind   Kind   // kind of the call
	Peer   int    // other rank of a message; −1: any, or not a message
	Tag    int    // tag of a message; −1: any, or not a message
	Bytes  int64  // size of a send
	For    []int  // the ranks that could end the wait
	Any    bool   // any of them can end it; otherwise all are needed
	Polls  bool   // the rank polls instead of waiting inside the call
}

// String describes the wait and its ranks in one line.
func (w Wait) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rank %d", w.Rank)
	if w.Thread != 0 {
		fmt.Fprintf(&b, " thread %d", w.Thread)
	}
	if w.Polls {
		fmt.Fprintf(&b, " asks by %s", w.Call)
	} else {
		fmt.Fprintf(&b, " waits in %s", w.Call)
	}
	switch {
	case len(w.For) == 0:
	case len(w.For) > 8:
		fmt.Fprintf(&b, " for %s of %d ranks", anyOrAll(w.Any), len(w.For))
	default:
		fmt.Fprintf(&b, " for ")
		if len(w.For) > 1 {
			fmt.Fprintf(&b, "%s of ", anyOrAll(w.Any))
		}
		for i, r := range w.For {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "rank %d", r)
		}
	}
	return b.String()
}

func anyOrAll(any bool) string {
	if any {
		return "any"
	}
	return "all"
}

// maxWaits is the maximum number of waits listed in an error.
const maxWaits = 16

// Error explains the abort, with one line per wait.
func (a *Abort) Error() string {
	var b strings.Builder
	switch a.Reason {
	case ReasonDeadlock:
		b.WriteString("deadlock: no rank below can continue")
		if sendsInACircle(a.Waits) {
			b.WriteString("\n" + sendHint)
		}
	case ReasonPanic:
		fmt.Fprintf(&b, "rank %d panicked: %v", a.Rank, brief{a.Cause})
	case ReasonExit:
		fmt.Fprintf(&b, "rank %d ended its goroutine (runtime.Goexit, or t.Fatal of a test) before its body returned: "+
			"return an error instead", a.Rank)
	default:
		b.WriteString("cancelled")
		if a.Cause != nil {
			fmt.Fprintf(&b, ": %v", brief{a.Cause})
		}
	}
	for i, w := range a.Waits {
		if i == maxWaits {
			fmt.Fprintf(&b, "\n  and %d more", len(a.Waits)-i)
			break
		}
		b.WriteString("\n  " + w.String())
	}
	return b.String()
}

// sendHint is the hint for a deadlock of sends.
const sendHint = "a send above the eager limit returns only when its receive is posted: post a receive first on " +
	"one side, use Sendrecv, or raise the eager limit"

// sendsInACircle reports whether ranks wait for each other only in sends.
func sendsInACircle(waits []Wait) bool {
	next := map[int]int{} // target of a rank's send
	for _, w := range waits {
		if strings.HasPrefix(w.Call, KindSend.String()+" ") && len(w.For) == 1 {
			next[w.Rank] = w.For[0]
		}
	}
	for _, w := range waits {
		at := w.Rank
		for range next {
			to, sends := next[at]
			if !sends {
				break
			}
			if to == w.Rank {
				return true
			}
			at = to
		}
	}
	return false
}

// maxText is the maximum length in bytes of an error text from a program.
const maxText = 4 << 10

// brief is an error whose text is cut if it is too long to read.
type brief struct{ error }

// Error implements error.
func (e brief) Error() string {
	if e.error == nil {
		return "<nil>"
	}
	text := e.error.Error()
	if len(text) <= maxText {
		return text
	}
	n := maxText
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return fmt.Sprintf("%s… (%d bytes more)", text[:n], len(text)-n)
}

// Unwrap returns the uncut error.
func (e brief) Unwrap() error { return e.error }

// Unwrap returns the cause.
func (a *Abort) Unwrap() error { return a.Cause }

// Of sets the call that waits. Peer and tag are set if its kind has them.
func (w *Wait) Of(k Kind, peer, tag int32, bytes int64) {
	w.Kind, w.Peer, w.Tag = k, -1, -1
	if k.HasPeer() {
		w.Peer = max(int(peer), -1)
	}
	switch k {
	case KindSend, KindSsend:
		w.Tag, w.Bytes = int(tag), bytes
	case KindRecv, KindProbe, KindMprobe, KindMrecv:
		w.Tag = max(int(tag), -1)
	}
}

// Hint returns a hint for a deadlock, derived from its waits; "": no hint.
func (a *Abort) Hint() string {
	if a.Reason != ReasonDeadlock {
		return ""
	}
	if sendsInACircle(a.Waits) {
		return sendHint
	}
	stuck, kinds := map[int]bool{}, map[Kind]int{}
	for i := range a.Waits {
		stuck[a.Waits[i].Rank] = true
		kinds[a.Waits[i].Kind]++
	}
	for i := range a.Waits {
		if w := &a.Waits[i]; len(w.For) == 1 && !w.Any && !stuck[w.For[0]] {
			return "a rank waits for a rank that has ended or continued: the number of calls on both sides differs"
		}
	}
	switch n := len(a.Waits); {
	case n > 0 && kinds[KindRecv] == n:
		return "each receives before it sends: let one side send first, post the receives first (Irecv), or use Sendrecv"
	case n > 0 && kinds[KindSsend] == n:
		return "a synchronous send returns only when its receive has started: let one side receive first, or use Sendrecv"
	case kinds[KindBarrier] > 0:
		return "a barrier or a collective call ends only when every rank of its team makes it: some wait elsewhere"
	}
	return ""
}
