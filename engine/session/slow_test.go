package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// setSlow replaces the slow frame of the collectives' study until the end of a test.
func setSlow(t *testing.T, slow func(*engine.Scenario, *cluster.Machine, engine.Kind) engine.StudyView) {
	t.Helper()
	w, err := workload.Find("collective")
	if err != nil {
		t.Fatal(err)
	}
	before := w.Studies[0].Slow
	w.Studies[0].Slow = slow
	t.Cleanup(func() { w.Studies[0].Slow = before })
}

// titled returns a frame with one titled plot.
func titled(title string) engine.StudyView {
	return engine.StudyView{Now: -1, Plots: []engine.Plot{{Title: title}, {}}}
}

// holdSlow replaces the slow frame by one with the title "slow", which is ready when release is called, or at the end of
// the test.
func holdSlow(t *testing.T) (release func()) {
	t.Helper()
	held := make(chan struct{})
	release = sync.OnceFunc(func() { close(held) })
	setSlow(t, func(*engine.Scenario, *cluster.Machine, engine.Kind) engine.StudyView {
		<-held
		return titled("slow")
	})
	t.Cleanup(release)
	return release
}

// titleOf returns the title of the first plot of a snapshot.
func titleOf(s *engine.Snapshot) string {
	if v := s.Studies[0]; len(v.Plots) > 0 {
		return v.Plots[0].Title
	}
	return ""
}

// TestASlowFrameDoesNotDelayASimulation tests that a simulation runs while its slow frame is computed, and that the
// session's last snapshot has the frame.
func TestASlowFrameDoesNotDelayASimulation(t *testing.T) {
	release := holdSlow(t)
	w := start(t, scenarioOf(t, []string{"collective", "fabric", "sim"}), Options{Limits: Limits{Iterations: 2}})
	s := w.until("the end of the run, without the frame", func(s *engine.Snapshot) bool { return s.Iteration == 2 })
	if title := titleOf(s); title == "slow" {
		t.Error("the frame is shown before it is computed")
	}
	release()
	if err := w.Wait(); err != nil {
		t.Fatal(err)
	}
	if s := w.Load(); s.Phase != engine.Ended || titleOf(s) != "slow" {
		t.Errorf("the last snapshot is %s and has the plot %q, want ended and slow", s.Phase, titleOf(s))
	}
}

// TestAStopDoesNotWaitForASlowFrame tests that a session ends although a slow frame is still computed.
func TestAStopDoesNotWaitForASlowFrame(t *testing.T) {
	holdSlow(t)
	w := start(t, scenarioOf(t, []string{"collective", "fabric", "sim"}), Options{Limits: Limits{Iterations: 2}})
	w.until("the end of the run", func(s *engine.Snapshot) bool { return s.Iteration == 2 })
	if err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	if s := w.Load(); s.Iteration != 2 || titleOf(s) == "slow" {
		t.Errorf("the last snapshot has %d iterations and the plot %q, want 2 and no slow one", s.Iteration, titleOf(s))
	}
}

// TestAFailureDoesNotWaitForASlowFrame tests that a failed run is shown although a slow frame is still computed, and that
// the frame then follows.
func TestAFailureDoesNotWaitForASlowFrame(t *testing.T) {
	release := holdSlow(t)
	fabrics := Fabrics()
	fabrics[engine.Sim] = failing{fabrics[engine.Sim]}
	w := start(t, scenarioOf(t, []string{"collective", "fabric", "sim"}), Options{Fabrics: fabrics, Linger: true})
	s := w.until("the failure", func(s *engine.Snapshot) bool { return s.Phase == engine.Failed })
	if !strings.Contains(s.Failure, errFails.Error()) {
		t.Errorf("the failure is %q, want %q", s.Failure, errFails)
	}
	release()
	w.until("the slow frame", func(s *engine.Snapshot) bool { return s.Phase == engine.Failed && titleOf(s) == "slow" })
}

// TestASlowFrameFollowsAFailureAtOnce tests that the session publishes a slow frame that becomes ready while the session
// publishes the failure of the run.
func TestASlowFrameFollowsAFailureAtOnce(t *testing.T) {
	release := holdSlow(t)
	fabrics := Fabrics()
	fabrics[engine.Sim] = failing{fabrics[engine.Sim]}
	sessions := make(chan *Session, 1)
	published := func(s *engine.Snapshot) {
		if s.Phase != engine.Failed || titleOf(s) == "slow" {
			return
		}
		wakeup := (<-sessions).wakeup
		select {
		case <-wakeup:
		default:
		}
		release()
		wakeup <- <-wakeup // the frame is ready
	}
	w := start(t, scenarioOf(t, []string{"collective", "fabric", "sim"}),
		Options{Fabrics: fabrics, Linger: true, published: published})
	sessions <- w.Session
	w.until("the slow frame", func(s *engine.Snapshot) bool { return s.Phase == engine.Failed && titleOf(s) == "slow" })
}

// failing is a fabric that cannot start.
type failing struct{ cluster.Fabric }

var errFails = errors.New("the fabric fails")

func (failing) Start(context.Context, cluster.Spec, func(cluster.Port) error) (cluster.Run, error) {
	return nil, errFails
}

// TestARunInRealTimeFollowsItsSlowFrame tests that a run in real time begins after its slow frame, which would take
// cores from the ranks.
func TestARunInRealTimeFollowsItsSlowFrame(t *testing.T) {
	setSlow(t, func(*engine.Scenario, *cluster.Machine, engine.Kind) engine.StudyView { return titled("slow") })
	w := start(t, scenarioOf(t, []string{"collective", "nodes", "1", "ranks-per-node", "2"}),
		Options{Limits: Limits{Iterations: 2}})
	s := w.until("the first snapshot", func(*engine.Snapshot) bool { return true })
	if title := titleOf(s); title != "slow" {
		t.Errorf("the first snapshot of the loop has the plot %q, want slow", title)
	}
	if err := w.Wait(); err != nil {
		t.Fatal(err)
	}
}
