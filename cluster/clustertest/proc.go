package clustertest

import (
	"context"
	"fmt"
	"runtime"

	"github.com/hybridtop/hybridtop/cluster"
)

// proc is a rank (or one of its threads) in a test. Its checks end the body with
// an error when they fail.
type proc struct {
	*cluster.Rank
	suite   *suite
	failure error
	ctx     context.Context // of the run
	cancel  context.CancelCauseFunc
}

// times is n repetitions at full scale.
func (p *proc) times(n int) int { return p.suite.times(n) }

// until yields until something holds, without a call of the rank; it gives up
// when the run is over.
func (p *proc) until(holds func() bool) {
	for !holds() && p.ctx.Err() == nil {
		runtime.Gosched()
	}
}

// failf ends the body.
func (p *proc) failf(format string, args ...any) {
	p.failure = fmt.Errorf("rank %d: "+format, append([]any{p.ID()}, args...)...)
	panic(p.failure)
}

// ok ends the body if a call failed.
func (p *proc) ok(err error) {
	if err != nil {
		p.failf("unexpected error: %w", err)
	}
}

// word returns the word of a call that must not fail.
func (p *proc) word(w uint64, err error) uint64 { p.ok(err); return w }

// status returns the status of a call that must not fail.
func (p *proc) status(st cluster.Status, err error) cluster.Status { p.ok(err); return st }

// is reports the result of a Test or a probe, which must not fail.
func (p *proc) is(_ cluster.Status, yes bool, err error) bool { p.ok(err); return yes }

// event returns an event that fires after n calls of Fire.
func (p *proc) event(n int) *cluster.Event {
	e, err := p.NewEvent(n)
	p.ok(err)
	return e
}

// check ends the body if something does not hold.
func (p *proc) check(holds bool, format string, args ...any) {
	if !holds {
		p.failf(format, args...)
	}
}

// fails checks that a call failed with an error that contains all of the words.
func (p *proc) fails(err error, words ...string) {
	p.check(contains(err, words...), "error %v, want %q in it", err, words)
}

// only and third return the error of a call.
func only[T any](_ T, err error) error          { return err }
func third[T, U any](_ T, _ U, err error) error { return err }

// same checks a value.
func same[T comparable](p *proc, what string, got, want T) {
	p.check(got == want, "%s: %v, want %v", what, got, want)
}

// dress makes a rank's body out of a test's. Only a failed check is recovered,
// all other panics are the fabric's to see.
func dress(body func(p *proc)) func(*cluster.Rank) error {
	return func(r *cluster.Rank) (err error) {
		p := &proc{Rank: r}
		defer func() {
			if p.failure != nil {
				recover()
				err = p.failure
			}
		}()
		body(p)
		return nil
	}
}

// fork is Rank.Fork with checks.
func (p *proc) fork(n int, body func(p *proc, thread int)) {
	p.ok(p.Fork(n, func(t *cluster.Thread) error {
		return dress(func(th *proc) {
			th.suite = p.suite
			th.ctx = p.ctx
			th.cancel = p.cancel
			body(th, t.Number())
		})(&t.Rank)
	}))
}

// region is fork for a body that needs the thread. A failed check ends the run: the
// other threads may be in a thread barrier.
func (p *proc) region(n int, body func(q *proc, th *cluster.Thread)) {
	p.ok(p.Fork(n, func(th *cluster.Thread) error {
		q := *p
		q.Rank = &th.Rank
		body(&q, th)
		return nil
	}))
}

// holds checks that b is data(len(b), number).
func (p *proc) holds(what string, b []byte, number int) {
	for i := range b {
		if want := byte(i*7 + i>>8 + number*31 + 1); b[i] != want {
			p.failf("%s: byte %d of %d is %#x, want %#x", what, i, len(b), b[i], want)
		}
	}
}

// send and recv are those on MPI_COMM_WORLD that have to succeed.
func (p *proc) send(to, tag int, b []byte) { p.ok(p.Send(p.World(), to, tag, cluster.Of(b))) }

func (p *proc) recv(from, tag int, b []byte) cluster.Status {
	return p.status(p.Recv(p.World(), from, tag, cluster.Of(b)))
}

// exchange exchanges n messages with a peer.
func (p *proc) exchange(peer, n int) {
	b := make([]byte, 8)
	for range n {
		p.status(p.Sendrecv(p.World(), peer, 1, cluster.Of(b), peer, 1, cluster.Of(b)))
	}
}

// chat exchanges messages with a peer until the run ends.
func (p *proc) chat(peer int) { forever(func() { p.exchange(peer, 1) }) }

// forever calls a function until it panics: a call of the rank does after an abort.
func forever(call func()) {
	for {
		call()
	}
}

// token lets rank to continue at accept. Tokens have a separate tag.
func (p *proc) token(to int)    { p.ok(p.Send(p.All(), to, tokenTag, cluster.Data{})) }
func (p *proc) accept(from int) { p.status(p.Recv(p.All(), from, tokenTag, cluster.Data{})) }

const tokenTag = cluster.MaxTag - 1
