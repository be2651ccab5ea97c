package session

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// pretend is a host with a given mean lateness, at any dilation. Each look counts a window of its
// run.
type pretend struct {
	x      dilator
	at     time.Duration
	counts cluster.Lateness
	rises  int
	falls  int
}

// shortest is the machine's shortest time in ps at a factor of 1.
const shortest = 40_000

func newPretend() *pretend {
	p := &pretend{x: newDilator(false, 1)}
	p.x.launch(0)
	return p
}

// window runs one window at a mean lateness in ns, and relaunches if the session decides so.
func (p *pretend) window(mean float64) bool {
	p.at += windowTime
	p.counts.Shortest = int64(shortest * p.x.factor)
	p.counts.Events += windowEvents
	p.counts.Late += int64(mean * windowEvents)
	was := p.x.factor
	if !p.x.observe(p.at, p.counts) {
		return false
	}
	if p.x.factor > was {
		p.rises++
	} else {
		p.falls++
	}
	p.counts = cluster.Lateness{}
	p.x.launch(p.at)
	return true
}

func (p *pretend) run(windows int, mean float64) {
	for range windows {
		p.window(mean)
	}
}

// A host in time keeps the fabric's own dilation.
func TestQuietHost(t *testing.T) {
	p := newPretend()
	p.run(1000, 900)
	if p.x.factor != 1 || p.rises+p.falls > 0 || p.x.beyond {
		t.Errorf("factor %v after %d rises and %d falls", p.x.factor, p.rises, p.falls)
	}
}

// A launch that is late from the start rises once, to a dilation that the host keeps up with, with
// a margin.
func TestBusyHostRisesOnce(t *testing.T) {
	for _, tt := range []struct{ mean, want float64 }{{4_100, 5}, {29_000, 20}, {135_000, 100}} {
		p := newPretend()
		if !p.window(tt.mean) || p.x.factor != tt.want {
			t.Errorf("%v ns late: factor %v after the first window, want %v", tt.mean, p.x.factor, tt.want)
		}
		p.run(1000, tt.mean)
		if p.x.factor != tt.want || p.rises != 1 || p.falls > 0 {
			t.Errorf("%v ns late: factor %v after %d rises and %d falls, want %v after one", tt.mean, p.x.factor, p.rises,
				p.falls, tt.want)
		}
	}
}

// If no dilation is enough, the fabric's own one stays, and beyond is set. When the load ends,
// beyond is cleared.
func TestNoDilationIsEnough(t *testing.T) {
	p := newPretend()
	p.run(100, 2e6)
	if p.x.factor != 1 || !p.x.beyond || p.rises+p.falls > 0 {
		t.Errorf("factor %v, beyond %v", p.x.factor, p.x.beyond)
	}
	p.run(calmWindows, 1000)
	if p.x.beyond || p.x.factor != 1 || p.rises+p.falls > 0 {
		t.Errorf("after the load: factor %v, beyond %v", p.x.factor, p.x.beyond)
	}
}

// If the largest dilation is slightly too small for a host, the factor does not oscillate: each
// attempt comes later than the one before.
func TestAtTheLimit(t *testing.T) {
	p := newPretend()
	changes := 0
	for range 1000 {
		mean := 150_000.0
		if p.x.factor > 1 {
			mean = 900_000 // a longer time includes more of the load
		}
		if p.window(mean) {
			changes++
		}
	}
	if changes != 2 || !p.x.beyond {
		t.Errorf("%d changes in 1000 windows, beyond %v; want one attempt and its end", changes, p.x.beyond)
	}
}

// In an unwatched session, a launch that is in time as a whole continues in any case. A late one
// is repeated, with a factor that a user can wait for. The factor never falls.
func TestUnwatched(t *testing.T) {
	p := newPretend()
	p.x = newDilator(true, 1)
	p.x.launch(0)
	p.run(20, 100)
	p.run(3, 5_000)
	if p.x.factor != 1 {
		t.Errorf("factor %v although the launch as a whole is in time", p.x.factor)
	}
	p.x.launch(p.at)
	p.counts = cluster.Lateness{}
	if !p.window(8_000) || p.x.factor != 5 {
		t.Errorf("factor %v after a late window, want 5", p.x.factor)
	}
	if p.run(200, 100); p.falls > 0 {
		t.Errorf("%d falls", p.falls)
	}
	if p.run(10, 100_000); p.x.factor != 5 || p.x.beyond {
		t.Errorf("factor %v, beyond %v, although ten times more would be enough", p.x.factor, p.x.beyond)
	}
	short := cluster.Lateness{Shortest: shortest, Events: windowEvents/2 + 1, Late: (windowEvents/2 + 1) * 8_000}
	for _, c := range []struct {
		alone bool
		want  float64
	}{{true, 5}, {false, 1}} {
		x := newDilator(c.alone, 1)
		x.launch(0)
		if again := x.finish(short); again != c.alone || x.factor != c.want {
			t.Errorf("alone %v: short late launch repeated: %v, factor %v", c.alone, again, x.factor)
		}
	}
}

// A single late window is no reason once a launch has been in time; three successive ones are.
func TestSingleLateWindow(t *testing.T) {
	p := newPretend()
	p.run(10, 1000)
	p.window(50_000)
	p.window(50_000)
	p.run(10, 1000)
	if p.x.factor != 1 {
		t.Errorf("factor %v after two late windows", p.x.factor)
	}
	p.run(3, 50_000)
	if p.x.factor != 50 {
		t.Errorf("factor %v after three late windows, want 50", p.x.factor)
	}
}

// When the load ends, the dilation falls to the fabric's own step by step.
func TestLoadEnds(t *testing.T) {
	p := newPretend()
	p.run(5, 135_000)
	p.run(calmWindows-1, 1000)
	if p.x.factor != 100 {
		t.Errorf("factor %v before enough calm windows", p.x.factor)
	}
	p.run(6*calmWindows, 1000)
	if p.x.factor != 1 || p.falls != 6 {
		t.Errorf("factor %v after %d falls, want 1 after 6", p.x.factor, p.falls)
	}
}

// A load that depends on the dilation itself causes fewer and fewer changes.
func TestNoOscillation(t *testing.T) {
	p := newPretend()
	changes := func(windows int) int {
		n := 0
		for range windows {
			mean := 1000.0
			if p.x.factor <= 10 { // as if each smaller dilation woke another process
				mean = 60_000
			}
			if p.window(mean) {
				n++
			}
		}
		return n
	}
	first := changes(5000)
	second := changes(5000)
	third := changes(5000)
	if first < 3 || second > first/2 || third > second {
		t.Errorf("%d, %d and %d changes in 5000 windows each", first, second, third)
	}
}

// The factor is always a step between 1 and the maximum.
func TestFactorIsAStep(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	p := newPretend()
	for range 20_000 {
		p.window(rng.ExpFloat64() * 100_000)
		if f := p.x.factor; f < 1 || f > maxFactor || stepUp(f) != f || p.x.beyond && f != 1 {
			t.Fatalf("factor %v, beyond %v", f, p.x.beyond)
		}
	}
}

// With too few events, or after too short a time, nothing is decided.
func TestWindowMinimum(t *testing.T) {
	x := newDilator(false, 1)
	x.launch(0)
	late := cluster.Lateness{Shortest: shortest, Events: windowEvents, Late: windowEvents * shortest}
	few := late
	few.Events--
	if x.observe(windowTime, few) || x.observe(windowTime-1, late) {
		t.Error("a window that is too short changed the factor")
	}
	if !x.observe(windowTime, late) {
		t.Error("a full window did not change the factor")
	}
}
