package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	record "github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui"
)

// timelineCols is the width of a timeline in text.
const timelineCols = 120

// timelineFlag holds --timeline-last.
type timelineFlag struct{ last time.Duration }

func addTimeline(cmd *cobra.Command) *timelineFlag {
	f := &timelineFlag{}
	cmd.Flags().DurationVar(&f.last, "timeline-last", 0,
		"length of the timeline's end to write; 0: latest iterations (--json: all)")
	return f
}

func (f *timelineFlag) read() error {
	if f.last < 0 || f.last > longestUntil {
		return fmt.Errorf("--timeline-last %v: want a time from zero to %v, such as 200us", f.last, longestUntil)
	}
	return nil
}

func (f *timelineFlag) span() cluster.Time { return cluster.Time(f.last) * cluster.Nanosecond }

// write draws the timeline below a result.
func (f *timelineFlag) write(w io.Writer, s *engine.Snapshot) error {
	if s.Timeline == nil || s.Timeline.To <= 0 {
		return nil
	}
	text, err := tui.TimelineText(s, timelineCols, f.span())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s", text)
	return err
}

// timeline is the activity of the threads, as docs/json.md describes it.
type timeline struct {
	From  float64  `json:"from"`
	To    float64  `json:"to"`
	Ranks int      `json:"ranks"`
	Lanes []lane   `json:"lanes"`
	Sent  []arrow  `json:"messages"`
	Words []string `json:"activities"`
}

type lane struct {
	Rank   int                `json:"rank"`
	Node   int                `json:"node"`
	Thread *int               `json:"thread"`
	Stream *int               `json:"stream"`
	Time   map[string]float64 `json:"time"`
	Spans  []interval         `json:"intervals"`
}

type interval struct {
	Begin    float64 `json:"begin"`
	End      float64 `json:"end"`
	Activity string  `json:"activity"`
	Call     *string `json:"call"`
	Peer     *int32  `json:"peer"`
}

type arrow struct {
	From       int32   `json:"from"`
	FromThread int32   `json:"from_thread"`
	To         int32   `json:"to"`
	ToThread   int32   `json:"to_thread"`
	Sent       float64 `json:"sent"`
	Received   float64 `json:"received"`
	Bytes      int64   `json:"bytes"`
	Tag        int32   `json:"tag"`
}

// view returns the requested part of a snapshot's timeline, or nil if none was recorded.
func (f *timelineFlag) view(s *engine.Snapshot) *timeline {
	tl := s.Timeline
	if tl == nil {
		return nil
	}
	from := tl.From
	if last := f.span(); last > 0 {
		from = max(from, tl.To-last)
	}
	t := &timeline{From: from.Seconds(), To: tl.To.Seconds(), Ranks: tl.Ranks, Lanes: []lane{}}
	for a := range record.Activities {
		t.Words = append(t.Words, record.Activity(a).String())
	}
	for i := range tl.Lanes {
		l := &tl.Lanes[i]
		var at record.Cursor
		before, after := l.Sums(from, &at), l.Sums(tl.To, &at)
		out := lane{Rank: l.Rank, Node: tl.Layout.NodeOf(l.Rank), Time: make(map[string]float64), Spans: []interval{}}
		if number, ok := l.Stream(); ok {
			out.Stream = &number
		} else {
			out.Thread = &l.Thread
		}
		for a := range after {
			out.Time[t.Words[a]] = (after[a] - before[a]).Seconds()
		}
		for x := range l.Intervals(from, tl.To) {
			st := interval{Begin: x.Begin.Seconds(), End: x.End.Seconds(), Activity: x.Activity.String()}
			if x.Call != cluster.KindNone {
				call := x.Call.String()
				st.Call = &call
			}
			if x.Peer != record.NoPeer {
				st.Peer = &x.Peer
			}
			out.Spans = append(out.Spans, st)
		}
		t.Lanes = append(t.Lanes, out)
	}
	if tl.Arrows != nil {
		t.Sent = []arrow{}
	}
	for _, a := range tl.Arrows {
		if a.Received >= from {
			t.Sent = append(t.Sent, arrow{
				From:       a.From,
				FromThread: a.FromThread,
				To:         a.To,
				ToThread:   a.ToThread,
				Sent:       a.Sent.Seconds(),
				Received:   a.Received.Seconds(),
				Bytes:      a.Bytes,
				Tag:        a.Tag,
			})
		}
	}
	return t
}
