package clustertest

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/rma"
)

// errMixed is what ends a mixture that does not end by itself.
var errMixed = errors.New("the end was drawn")

// endingKind is how a mixture ends.
type endingKind int

const (
	endReturns endingKind = iota
	endError
	endPanic
	endExit
	endCancel
	endingKinds
)

// mixture is a random program of phases, which all ranks go through. At one of them,
// perhaps, one rank ends the run instead, while the others are wherever they are.
type mixture struct {
	ranks, threads int
	phases         []mixed
	end            endingKind
	ender, at      int // who ends the run, and before which phase
}

// mixed is a phase and the numbers that were drawn for it.
type mixed struct {
	play    func(p *mixer, m *mixed)
	a, b, c int
	number  int
}

// mixer is a rank in a mixture.
type mixer struct {
	*proc
	me, n, threads int
	rpc            int
	data           int64 // offsets in the segment: bytes that neighbours write,
	flag           int64 // a word that counts signals,
	word           int64 // and one that all add to
	signals        uint64
}

// mixtureBytes is the longest message of a mixture.
const mixtureBytes = 4 * eager

var mixtures = []func(*mixer, *mixed){
	(*mixer).ring, (*mixer).toOne, (*mixer).matched, (*mixer).cancelled, (*mixer).team, (*mixer).window, (*mixer).locked,
	(*mixer).call, (*mixer).signal, (*mixer).add, (*mixer).region, (*mixer).implicit, (*mixer).phased,
}

func drawMixture(seed uint64) *mixture {
	rng := rand.New(rand.NewPCG(seed, 0x6d697874))
	x := &mixture{ranks: []int{2, 3, 4, 6, 20}[rng.IntN(5)], threads: 1 + rng.IntN(3)}
	for i := range 4 + rng.IntN(12) {
		x.phases = append(x.phases, mixed{mixtures[rng.IntN(len(mixtures))], rng.IntN(1 << 16), rng.IntN(1 << 16), rng.IntN(1 << 16), i})
	}
	x.end, x.ender, x.at = endingKind(rng.IntN(int(endingKinds))), rng.IntN(x.ranks), rng.IntN(len(x.phases))
	return x
}

// Mixture plays a random mixture of teams, windows, calls, regions, cancelled receives,
// matched probes and signals, which may end by an error, a panic, the end of a goroutine
// or a cancel in the middle of it.
func Mixture(t *testing.T, f cluster.Fabric, m cluster.Machine, seed uint64) {
	t.Helper()
	(&suite{fabric: poisoner{f}, machine: m, seed: seed, scale: 1, threads: 1}).mixture(t, seed)
}

func (s *suite) testMixtures(t *testing.T) {
	for i := range s.times(24) {
		seed := s.seed + uint64(i)
		s.mixture(t, seed)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func (s *suite) mixture(t *testing.T, seed uint64) {
	t.Helper()
	x := drawMixture(seed)
	spec := s.spec(x.ranks)
	spec.Layout.ThreadsPerRank, spec.Threading, spec.Seed = max(s.threads, x.threads), cluster.ThreadMultiple, seed
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	err := s.launchIn(ctx, t, spec, func(p *proc) { x.play(p, cancel) })
	var a *cluster.Abort
	reason := cluster.Reason("")
	if errors.As(err, &a) {
		reason = a.Reason
	}
	want := map[endingKind]cluster.Reason{endPanic: cluster.ReasonPanic, endExit: cluster.ReasonExit, endCancel: cluster.ReasonCancelled}[x.end]
	drawn := x.end != endReturns && x.end != endExit
	if reason != want || errors.Is(err, errMixed) != drawn || (err == nil) != (x.end == endReturns) || (want == cluster.ReasonPanic || want == cluster.ReasonExit) && a.Rank != x.ender {
		t.Errorf("seed %d: a mixture of %d phases on %d ranks that rank %d ends in way %d before phase %d: %v", seed, len(x.phases), x.ranks, x.ender, x.end, x.at, err)
	}
}

func (x *mixture) play(p *proc, cancel context.CancelCauseFunc) {
	m := &mixer{proc: p, me: p.World().Rank(), n: p.World().Size(), threads: x.threads}
	for _, place := range []*int64{&m.data, &m.flag, &m.word} {
		off, err := p.Alloc(mixtureBytes)
		p.ok(err)
		*place = off
	}
	m.rpc = p.register(func(c cluster.RPC) uint64 { return uint64(c.Arg)*2 + uint64(len(c.Data)) })
	for i := range x.phases {
		if i == x.at && p.ID() == x.ender {
			switch x.end {
			case endError:
				p.failf("%w", errMixed)
			case endPanic:
				panic(errMixed)
			case endExit:
				runtime.Goexit()
			case endCancel:
				cancel(errMixed)
				for {
					p.Compute(cluster.Work{Flops: 1e3}, runtime.Gosched)
				}
			}
		}
		x.phases[i].play(m, &x.phases[i])
	}
}

func (m *mixed) size() int { return []int{0, 1, 8, 33, eager, eager + 1, mixtureBytes}[m.a%7] }
func (m *mixed) tag() int  { return 10 + m.number }

// neighbours are the ranks that the own one sends to and receives from.
func (p *mixer) neighbours(m *mixed) (to, from int) {
	by := 1 + m.b%p.n
	return (p.me + by) % p.n, (p.me + p.n*by - by) % p.n
}

func (p *mixer) meet() { p.ok(p.Barrier(p.All())) }

// ring exchanges with neighbours, by all the ways to complete it.
func (p *mixer) ring(m *mixed) {
	to, from := p.neighbours(m)
	in := make([]byte, m.size())
	var qs [2]cluster.Request
	p.ok(p.Irecv(&qs[0], p.World(), from, m.tag(), cluster.Of(in)))
	p.ok(p.Isend(&qs[1], p.World(), to, m.tag(), cluster.Of(data(m.size(), p.me))))
	for i := range qs {
		for done := m.c%2 == 0; !done; {
			_, ended, err := p.Test(&qs[i])
			p.ok(err)
			done = ended
		}
		_, err := p.Wait(&qs[i])
		p.ok(err)
	}
	p.holds("message around the ring", in, from)
}

// toOne has one rank receive from any.
func (p *mixer) toOne(m *mixed) {
	root := m.b % p.n
	if p.me != root {
		p.send(root, m.tag(), data(m.size(), p.me))
		return
	}
	in, seen := make([]byte, m.size()), map[int]bool{root: true}
	for range p.n - 1 {
		st := p.recv(cluster.AnySource, m.tag(), in)
		p.check(!seen[st.Source], "two messages from %d", st.Source)
		seen[st.Source] = true
		p.holds("message to one", in, st.Source)
	}
}

// matched takes a message by a matched probe.
func (p *mixer) matched(m *mixed) {
	to, from := p.neighbours(m)
	var q cluster.Request
	p.ok(p.Isend(&q, p.World(), to, m.tag(), cluster.Of(data(m.size(), p.me))))
	src := from
	if m.c%2 == 0 {
		src = cluster.AnySource
	}
	var got cluster.Message
	for found := false; !found; {
		var err error
		if m.c%3 == 0 {
			got, err = p.Mprobe(p.World(), src, m.tag())
			found = true
		} else {
			got, found, err = p.Improbe(p.World(), src, m.tag())
		}
		p.ok(err)
	}
	in := make([]byte, m.size())
	st, err := p.Mrecv(got, cluster.Of(in))
	p.ok(err)
	same(p.proc, "source", st.Source, from)
	p.holds("matched message", in, from)
	_, err = p.Wait(&q)
	p.ok(err)
}

// cancelled takes back receives that nothing is sent to.
func (p *mixer) cancelled(m *mixed) {
	qs := make([]cluster.Request, 1+m.b%5)
	for i := range qs {
		p.ok(p.Irecv(&qs[i], p.World(), []int{cluster.AnySource, p.me}[i%2], 9, cluster.Data{}))
	}
	for i := range qs {
		taken, err := p.Cancel(&qs[(i+m.c)%len(qs)])
		p.ok(err)
		p.check(taken, "a receive that nothing is sent to could not be cancelled")
	}
	for i := range qs {
		st, err := p.Wait(&qs[i])
		p.ok(err)
		p.check(st.Cancelled, "the status does not say that it was cancelled")
	}
}

// team adds up over a team that is split off.
func (p *mixer) team(m *mixed) {
	parts := 1 + m.b%p.n
	team, err := p.Split(p.World(), p.me%parts, m.c*p.me)
	p.ok(err)
	sum, want := []int64{int64(p.me)}, int64(0)
	for i := p.me % parts; i < p.n; i += parts {
		want += int64(i)
	}
	p.ok(coll.Allreduce(p.Rank, team, cluster.Sum, sum, sum))
	same(p.proc, "sum over a team", sum[0], want)
	b := []byte{byte(team.Rank())}
	p.ok(coll.Bcast(p.Rank, team, m.c%team.Size(), cluster.Of(b)))
	same(p.proc, "root of a team", int(b[0]), m.c%team.Size())
}

// window puts between two fences.
func (p *mixer) window(m *mixed) {
	to, from := p.neighbours(m)
	w, err := rma.NewWindow(p.Rank, p.World(), 512)
	p.ok(err)
	p.ok(w.Fence())
	n := min(m.size(), 512)
	p.ok(w.Put(to, 0, data(n, p.me)))
	p.ok(w.Fence())
	b, err := w.Local()
	p.ok(err)
	p.holds("window", b[:n], from)
	p.ok(w.Fence())
	p.ok(w.Free())
}

// locked adds to a window under its lock.
func (p *mixer) locked(m *mixed) {
	w, err := rma.NewWindow(p.Rank, p.World(), 64)
	p.ok(err)
	at := m.b % p.n
	kind := []rma.LockKind{rma.LockShared, rma.LockExclusive}[m.c%2]
	p.ok(w.Lock(kind, at))
	p.ok(rma.Accumulate(w, at, 8, []int64{int64(p.me + 1)}))
	p.ok(w.Unlock(at))
	p.meet()
	p.ok(w.Lock(rma.LockShared, at))
	sum := []int64{0}
	p.ok(w.Get(at, 8, cluster.Bytes(sum)))
	p.ok(w.Unlock(at))
	same(p.proc, "sum in a window", sum[0], int64(p.n*(p.n+1)/2))
	p.meet()
	p.ok(w.Free())
}

// call runs a body at another rank.
func (p *mixer) call(m *mixed) {
	to, _ := p.neighbours(m)
	got, err := p.RPC(to, p.rpc, int32(m.c), cluster.Of(data(min(m.size(), eager), p.me)))
	p.ok(err)
	same(p.proc, "result of a call", got, uint64(m.c)*2+uint64(min(m.size(), eager)))
}

// signal puts bytes whose flag the target waits for.
func (p *mixer) signal(m *mixed) {
	to, from := p.neighbours(m)
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(to, p.data), Data: cluster.Of(data(m.size(), p.me)), Signal: cluster.Signal{Op: cluster.SigAdd, Off: p.flag, Value: 1}, Until: cluster.Source}, nil, nil))
	p.signals++
	_, err := p.Await(p.flag, cluster.CmpGreaterEqual, p.signals)
	p.ok(err)
	p.holds("bytes behind a signal", p.Segment()[p.data:p.data+int64(m.size())], from)
	p.meet()
}

// add has all count in one word.
func (p *mixer) add(m *mixed) {
	at := m.b % p.n
	_, err := p.Atomic(cluster.At(p.World().Global(at), p.word+8*int64(at)), cluster.AtomicAdd, uint64(p.me))
	p.ok(err)
	p.meet()
	got, err := p.Atomic(cluster.At(p.World().Global(p.me), p.word+8*int64(p.me)), cluster.AtomicSwap, 0)
	p.ok(err)
	want := uint64(0)
	if at == p.me {
		want = uint64(p.n * (p.n - 1) / 2)
	}
	same(p.proc, "word that all add to", got, want)
	p.meet()
}

// region has the threads exchange with those of the neighbours.
func (p *mixer) region(m *mixed) {
	to, from := p.neighbours(m)
	p.fork(p.threads, func(q *proc, thread int) {
		in := make([]byte, m.size())
		for i := range 1 + m.c%3 {
			_, err := q.Sendrecv(q.World(), to, 1000+thread, cluster.Of(data(m.size(), p.me+i)), from, 1000+thread, cluster.Of(in))
			q.ok(err)
			q.holds("message of a thread", in, from+i)
		}
	})
}

// implicit puts that are completed together.
func (p *mixer) implicit(m *mixed) {
	to, from := p.neighbours(m)
	b := data(m.size(), p.me)
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(p.World().Global(to), p.data), Data: cluster.Of(b), Until: cluster.Later}, nil, nil))
	p.ok(p.Quiet())
	p.meet()
	p.holds("bytes of an implicit put", p.Segment()[p.data:p.data+int64(len(b))], from)
	p.meet()
}

// phased is a barrier in two phases, with messages between them.
func (p *mixer) phased(m *mixed) {
	var q cluster.Request
	p.ok(p.Notify(&q, p.All()))
	p.ring(m)
	_, err := p.Wait(&q)
	p.ok(err)
}
