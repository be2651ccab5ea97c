package explain

import (
	"context"
	"errors"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
)

// Waiting has the waits of all threads of a run, by reason. A live run has no critical path, because
// its fabric does not know what held a resource.
type Waiting struct {
	Scenario engine.Scenario
	Kind     engine.Kind
	Threads  int          // whose time is kept
	Total    cluster.Time // of all threads
	Waits    []Term       // the largest first
}

// Waits runs a scenario on its own fabric and adds up the waits on its timeline.
func Waits(ctx context.Context, sc engine.Scenario, o session.Options) (*Waiting, error) {
	timed := sc.Clone()
	if err := timed.Set("timeline", "on"); err != nil {
		return nil, err
	}
	o.Limits = session.Limits{Iterations: iterations}
	rows, err := session.RunRows(ctx, []session.Row{{}}, []engine.Scenario{timed}, o, nil)
	if err != nil {
		return nil, err
	}
	snap := rows[0].Snapshot
	if snap.Failure != "" {
		return nil, errors.New(snap.Failure)
	}
	if snap.Timeline == nil {
		return nil, errors.New("explain: the run has no timeline")
	}
	w := &Waiting{Scenario: sc, Kind: snap.Kind}
	w.add(snap.Timeline)
	return w, nil
}

// add adds up a timeline.
func (w *Waiting) add(tl *timeline.View) {
	spans := map[string]cluster.Time{}
	for i := range tl.Lanes {
		l := &tl.Lanes[i]
		if _, stream := l.Stream(); stream {
			continue
		}
		w.Threads++
		for x := range l.Intervals(tl.From, tl.Edge) {
			span := min(x.End, tl.Edge) - max(x.Begin, tl.From)
			w.Total += span
			switch x.Activity {
			case timeline.ActivityWait:
				spans[waitReason(&x, l, tl)] += span
			case timeline.ActivityLock:
				spans["lock"] += span
			}
		}
	}
	for reason, span := range spans {
		w.Waits = append(w.Waits, Term{Name: reason, Span: span})
	}
	w.Waits = sorted(w.Waits)
}

// waitReason returns the reason of a wait: its call, and the distance of the peer.
func waitReason(x *timeline.Interval, l *timeline.LaneView, tl *timeline.View) string {
	switch x.Call {
	case cluster.KindNone:
		return "memory of the node"
	case cluster.KindLaunch:
		return "device"
	}
	text := x.Call.String()
	switch peer := int(x.Peer); {
	case peer < 0 || peer >= tl.Layout.Ranks():
	case tl.Layout.NodeOf(peer) == tl.Layout.NodeOf(l.Rank):
		text += ", peer on the same node"
	default:
		text += ", peer on another node"
	}
	return text
}
