package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// maxEvents is the maximum number of events of a trace; viewers cannot open more.
const maxEvents = 4 << 20

// errNoTimeline is the error of a run without timelines.
var errNoTimeline = errors.New("no launch of this run has a timeline: record with --timeline on or arrows")

// micros prints a time in µs, rounded to the nanosecond. Both ends of an interval are rounded, so
// that successive intervals do not overlap.
func micros(t cluster.Time) string {
	ns := nanos(t)
	return strconv.FormatInt(ns/1000, 10) + "." + fmt.Sprintf("%03d", ns%1000)
}

func nanos(t cluster.Time) int64 { return int64((t + cluster.Nanosecond/2) / cluster.Nanosecond) }

// trace is a Chrome trace that is being written.
type trace struct {
	w         io.Writer
	from      cluster.Time // range to write
	to        cluster.Time
	n         int
	err       error
	threadIDs map[[2]int]int // number of a thread in the trace, by rank and thread
}

func (t *trace) event(format string, args ...any) {
	if t.err != nil {
		return
	}
	t.n++
	if t.n > maxEvents {
		t.err = fmt.Errorf("more than %d events, too many for a viewer (select a part with --from and --until)", maxEvents)
		return
	}
	comma := ",\n"
	if t.n == 1 {
		comma = "\n"
	}
	if _, err := fmt.Fprintf(t.w, comma+format, args...); err != nil {
		t.err = err
	}
}

// perfetto writes the timeline of a launch. Each rank is a process, each thread a track, each
// interval a slice and each message an arrow. Numbers of processes and threads start at 1, because
// viewers treat 0 as the idle process.
func (f *File) perfetto(w io.Writer, run *RunInfo, launches []LaunchInfo, o *ExportOptions) error {
	at := -1
	for i := range launches {
		_, hasBlocks, err := f.Activities(launches[i].ID)
		if err != nil {
			return err
		}
		if hasBlocks && (o.Launch == 0 || o.Launch == i+1) {
			at = i
		}
	}
	if at < 0 {
		return errNoTimeline
	}
	t := &trace{w: w, from: o.From, to: o.To, threadIDs: make(map[[2]int]int)}
	if t.to == 0 {
		t.to = 1<<63 - 1
	}
	if _, err := io.WriteString(w, `{"displayTimeUnit":"ns","traceEvents":[`); err != nil {
		return err
	}
	type fileLane struct {
		id           int64
		rank, thread int
	}
	var lanes []fileLane
	err := f.each(`SELECT id, rank, thread FROM lane WHERE launch=? AND rank<>? ORDER BY rank, thread, id`,
		[]any{launches[at].ID, sampleLane}, func(r *resultRow) {
			lanes = append(lanes, fileLane{id: r.int(), rank: int(r.int()), thread: int(r.int())})
		})
	if err != nil {
		return f.explain(err)
	}
	named := make(map[int]bool)
	for i, l := range lanes {
		if l.rank < 0 {
			continue
		}
		t.threadIDs[[2]int{l.rank, l.thread}] = i + 1
		if !named[l.rank] {
			t.event(`{"ph":"M","name":"process_name","pid":%d,"tid":%d,"args":{"name":"rank %d"}}`, l.rank+1, i+1, l.rank)
			named[l.rank] = true
		}
		name := fmt.Sprintf("thread %d", l.thread)
		if l.thread < 0 {
			number, _ := (&timeline.LaneView{Thread: l.thread}).Stream()
			name = fmt.Sprintf("stream %d", number)
		}
		t.event(`{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":%q}}`, l.rank+1, i+1, name)
	}
	for _, l := range lanes {
		var laneErr error
		err := f.each(`SELECT b.kind, b.first, b.n, b.from_ps, b.crc, y.data FROM block b JOIN body y ON y.block = b.id WHERE b.lane=? AND b.to_ps>? AND b.from_ps<? ORDER BY b.first`,
			[]any{l.id, int64(t.from), int64(t.to)}, func(r *resultRow) {
				if laneErr != nil || t.err != nil {
					return
				}
				kind := r.int()
				first := r.int()
				n := int(r.int())
				from := cluster.Time(r.int())
				crc := r.int()
				data := r.blob()
				b, err := f.unpack.unpack(data, crc)
				if err == nil && kind == kindArrows {
					err = t.arrows(b, first, n)
				} else if err == nil {
					err = t.intervals(b, n, from, l.rank, t.threadIDs[[2]int{l.rank, l.thread}])
				}
				laneErr = err
			})
		if err := errors.Join(err, laneErr, t.err); err != nil {
			return f.explain(err)
		}
	}
	samples, err := f.LaunchSamples(launches[at].ID)
	if err != nil {
		return err
	}
	for i := range samples {
		s := &samples[i]
		if s.Fabric >= t.from && s.Fabric < t.to && isFinite(s.Rate[0]+s.Rate[1]+s.Rate[2]) {
			t.event(`{"ph":"C","name":"rate, B/s","pid":1,"ts":%s,"args":{"rank":%s,"node":%s,"remote":%s}}`, micros(s.Fabric),
				formatNumber(s.Rate[cluster.InRank]), formatNumber(s.Rate[cluster.InNode]), formatNumber(s.Rate[cluster.Remote]))
		}
	}
	if t.err != nil {
		return t.err
	}
	facts, err := json.Marshal(map[string]any{"run": run.ID, "launch": at + 1,
		"workload": launches[at].Scenario.Workload, "machine": launches[at].Machine, "kind": launches[at].Kind})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n],\"otherData\":%s}\n", facts)
	return err
}

func (t *trace) intervals(b []byte, n int, begin cluster.Time, rank, tid int) error {
	all, err := decodeIntervals(b, n, n, new(intervalBuffers))
	if err != nil {
		return err
	}
	end := begin
	for i := range all {
		s := &all[i]
		begin, end = end, end+s.span
		if end <= begin {
			return fmt.Errorf("interval from %d ends at %d", begin, end)
		}
		if end <= t.from || begin >= t.to || nanos(begin) == nanos(end) || s.activity == timeline.ActivitySleep {
			continue
		}
		name := s.activity.String()
		if s.call != cluster.KindNone {
			name += " " + s.call.String()
		}
		peer := ""
		if s.peer >= 0 {
			peer = `,"args":{"peer":` + strconv.Itoa(int(s.peer)) + `}`
		}
		span := nanos(end) - nanos(begin)
		t.event(`{"ph":"X","name":%q,"cat":%q,"pid":%d,"tid":%d,"ts":%s,"dur":%d.%03d%s}`, name, s.activity.String(),
			rank+1, tid, micros(begin), span/1000, span%1000, peer)
	}
	return nil
}

func (t *trace) arrows(b []byte, first int64, n int) error {
	all, err := decodeColumns(b, n, blockLength, arrowFields)
	if err != nil {
		return err
	}
	for i := range all {
		a := &all[i]
		s, r := t.threadIDs[[2]int{int(a.From), int(a.FromThread)}], t.threadIDs[[2]int{int(a.To), int(a.ToThread)}]
		if a.Received < t.from || a.Sent >= t.to || s == 0 || r == 0 || a.Sent < 0 || a.Received < a.Sent {
			continue
		}
		id := first + int64(i)
		t.event(`{"ph":"s","name":"message","cat":"message","id":%d,"pid":%d,"tid":%d,"ts":%s,"args":{"bytes":%d,"tag":%d}}`, id, a.From+1, s, micros(a.Sent), a.Bytes, a.Tag)
		t.event(`{"ph":"f","bp":"e","name":"message","cat":"message","id":%d,"pid":%d,"tid":%d,"ts":%s}`, id, a.To+1, r,
			micros(a.Received))
	}
	return nil
}
