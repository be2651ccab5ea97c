package clustertest

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// flag returns what a call reports that must not fail.
func (p *proc) flag(b bool, err error) bool { p.ok(err); return b }

// done is the flag of a Test that must succeed.
func (p *proc) done(_ cluster.Status, done bool, err error) bool { p.ok(err); return done }

// wait is Wait of a request that must succeed.
func (p *proc) wait(q *cluster.Request) cluster.Status { return p.status(p.Wait(q)) }

// take receives a message that must be data(size, number).
func (p *proc) take(from, tag, size, number int) cluster.Status {
	b := make([]byte, size)
	st := p.recv(from, tag, b)
	same(p, "bytes", st.Bytes, int64(size))
	p.holds("message", b, number)
	return st
}

// forSizes is a test that runs a body on n ranks, once for each size of its data.
func forSizes(n int, body func(p *proc, size int), sizes ...int) func(*suite, *testing.T) {
	return func(s *suite, t *testing.T) {
		for _, size := range sizes {
			if size <= s.longest {
				t.Run(fmt.Sprintf("%d B", size), func(t *testing.T) {
					s.run(t, s.spec(n), func(p *proc) { body(p, size) })
				})
			}
		}
	}
}

// when is a test that is skipped on fabrics and machines without a property.
func when(holds func(*suite) bool, test func(*suite, *testing.T)) func(*suite, *testing.T) {
	return func(s *suite, t *testing.T) {
		if !holds(s) {
			t.Skip("the fabric or the machine lacks what this case is about")
		}
		test(s, t)
	}
}

// parallel reports whether ranks run in parallel, threaded whether a thread progresses
// them, calling whether only their calls do.
func (s *suite) parallel() bool { return !s.oneAtATime }
func (s *suite) calling() bool  { return s.machine.Progress == cluster.ProgressCall }
func (s *suite) threaded() bool { return s.machine.Progress == cluster.ProgressThread }
