package recording

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/build"
)

// maxWaiting is the maximum number of snapshots that wait for the writer. Further ones are lost
// and counted.
const maxWaiting = 1024

// Facts describes a run.
type Facts struct {
	Sweep string // knobs of a point of a sweep: "group 4, nodes 2"
	Began time.Time
}

// Run records one session: it is an engine.Observer.
type Run struct {
	ID int64

	mu      sync.Mutex // guards the fields below
	events  []any      // in order
	waiting int        // snapshots among the events
	first   time.Time  // when the first of them was published
	lost    int64      // snapshots that were dropped
	ended   bool
	stopped bool // writing has stopped

	// The fields below belong to the writer.
	taken      []any
	oldest     time.Time     // when the first snapshot among them was published
	done       chan struct{} // closed when the whole run is in the file
	finished   bool
	commands   int
	samples    int64         // so far
	lastSample time.Duration // time of the last sample
	lastMark   time.Duration
	hasMarks   bool // at least one mark exists
	launch     *launch
	ordinal    int // number of the launch, from 1
	frames     frames
	chunks     chunks
	length     time.Duration
}

// launch is the current launch.
type launch struct {
	id         int64
	iterations int // in the file
	events     *events
}

// Begin starts a run.
func (w *Writer) Begin(f Facts) (*Run, error) {
	select {
	case <-w.failed:
		w.mu.Lock()
		defer w.mu.Unlock()
		return nil, w.err
	default:
	}
	r := &Run{done: make(chan struct{})}
	r.frames.pack = w.pack
	program := build.This()
	err := w.transaction(func(tx *sql.Tx) error {
		row, err := tx.Exec(`INSERT INTO run(sweep, began_utc, ended_ns, version, build, rules, goos, goarch, cores) VALUES (?,?,0,?,?,?,?,?,?)`,
			f.Sweep, f.Began.UTC().Format(time.RFC3339), program.Version, program.Build(), sim.Revision, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
		if err == nil {
			r.ID, err = row.LastInsertId()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = append(w.runs, r)
	return r, nil
}

// command is a command of the user, with its outcome.
type command struct {
	engine.Command
	at  time.Duration
	err error
}

func (r *Run) enqueue(event any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped || r.ended {
		return
	}
	if _, ok := event.(*engine.Snapshot); ok {
		if r.waiting >= maxWaiting {
			r.lost++
			return
		}
		if r.waiting == 0 {
			r.first = time.Now()
		}
		r.waiting++
	}
	r.events = append(r.events, event)
}

// Launched implements engine.Observer.
func (r *Run) Launched(l *engine.Launch) { r.enqueue(l) }

// Published implements engine.Observer.
func (r *Run) Published(s *engine.Snapshot) { r.enqueue(s) }

// Timed implements engine.Observer.
func (r *Run) Timed(l *engine.Latencies) { r.enqueue(l) }

// Ended implements engine.Observer.
func (r *Run) Ended(o *engine.Outcome) { r.enqueue(o) }

// Commanded implements engine.Observer.
func (r *Run) Commanded(c engine.Command, at time.Duration, err error) {
	r.enqueue(&command{Command: c, at: at, err: err})
}

// Over implements engine.Observer.
func (r *Run) Over() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
}

// Done returns a channel that is closed when an ended run is completely in the file.
func (r *Run) Done() <-chan struct{} { return r.done }

// Lost returns the number of snapshots that were dropped.
func (r *Run) Lost() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

func (r *Run) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped, r.events = true, nil
}

// take passes the new events to the writer, and reports whether there is anything to write.
func (r *Run) take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken = r.events
	r.events = nil
	r.oldest = r.first
	r.waiting = 0
	if r.ended {
		r.finished = true
	}
	return len(r.taken) > 0 || r.finished || r.frames.due(time.Now())
}

// write writes the taken events. over means that nothing follows, even if the run has not ended.
func (r *Run) write(b *batch, over bool) error {
	for _, event := range r.taken {
		var err error
		switch e := event.(type) {
		case *engine.Launch:
			err = r.writeLaunch(b, e)
		case *engine.Snapshot:
			err = r.writeSnapshot(b, e)
		case *engine.Latencies:
			err = r.writeLatencies(b, e)
		case *engine.Outcome:
			err = r.writeOutcome(b, e)
		case *command:
			err = r.writeCommand(b, e)
		}
		if err != nil {
			return err
		}
	}
	r.taken = nil
	if over || r.finished || r.frames.due(time.Now()) {
		if err := r.closeBlocks(b); err != nil {
			return err
		}
	}
	_, err := b.exec(`UPDATE run SET ended_ns=?, finished=?, lost=? WHERE id=?`, int64(r.length), r.finished, r.Lost(),
		r.ID)
	return err
}

// closeBlocks closes the block of snapshots, after the blocks that it refers to.
func (r *Run) closeBlocks(b *batch) error {
	if l := r.launch; l != nil && l.events != nil {
		if err := l.events.seal(b); err != nil {
			return err
		}
	}
	return r.frames.seal(b, r.ID)
}

func (r *Run) writeLaunch(b *batch, l *engine.Launch) error {
	if err := r.closeBlocks(b); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(l.Machine + "\x00" + l.File))
	key := hex.EncodeToString(sum[:])
	if _, err := b.exec(`INSERT OR IGNORE INTO machine(name, toml, sha256) VALUES (?,?,?)`, l.Machine, l.File,
		key); err != nil {
		return err
	}
	sc := &l.Scenario
	id, err := b.insert(`INSERT INTO launch(run, at_ns, workload, machine, fabric, kind, seed, iterations)
VALUES (?,?,?,(SELECT id FROM machine WHERE sha256=?),?,?,?,0)`, r.ID, int64(l.At), sc.Workload, key, sc.Values["fabric"], string(l.Kind), sc.Values["seed"])
	if err != nil {
		return err
	}
	for i := range sc.Table {
		k := &sc.Table[i]
		if _, err := b.exec(`INSERT INTO knob VALUES (?,?,?,?,?,?,?,?,?,?)`, id, i, k.Name, sc.Values[k.Name],
			string(k.Type), k.Unit, k.Default, string(k.Role), k.Label, k.Doc); err != nil {
			return err
		}
	}
	r.launch = &launch{id: id}
	r.ordinal++
	return nil
}

func (r *Run) writeCommand(b *batch, c *command) error {
	text := ""
	knob := c.Knob
	value := c.Value
	if c.err != nil {
		text = c.err.Error()
	}
	if c.Scenario != nil {
		value = c.Scenario.Workload
	}
	_, err := b.exec(`INSERT INTO command VALUES (?,?,?,?,?,?,?,?)`, r.ID, r.commands, int64(c.at), r.launchID(),
		string(c.Verb), knob, value, text)
	r.commands++
	return err
}

// launchID returns NULL before the first launch.
func (r *Run) launchID() any {
	if r.launch == nil {
		return nil
	}
	return r.launch.id
}

// realOrNull returns a number, or NULL if it is not finite.
func realOrNull(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

func (r *Run) writeSnapshot(b *batch, s *engine.Snapshot) error {
	first := len(s.Series)
	for first > 0 && (s.Series[first-1].At > r.lastSample || r.samples == 0) {
		first--
	}
	for i := range s.Series[first:] {
		x := &s.Series[first+i]
		if _, err := b.exec(`INSERT INTO sample VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)`, r.ID, r.samples, r.launchID(),
			int64(x.At), int64(x.Fabric),
			realOrNull(x.Rate[cluster.InRank]), realOrNull(x.Rate[cluster.InNode]), realOrNull(x.Rate[cluster.Remote]),
			realOrNull(x.Ops[cluster.InRank]), realOrNull(x.Ops[cluster.InNode]), realOrNull(x.Ops[cluster.Remote]),
			realOrNull(x.Local), realOrNull(x.Access)); err != nil {
			return err
		}
		if err := r.chunks.add(b, x, r.launch); err != nil {
			return err
		}
		r.samples, r.lastSample = r.samples+1, x.At
	}
	for i := range s.Marks {
		if m := &s.Marks[i]; !r.hasMarks || m.At > r.lastMark {
			if _, err := b.exec(`INSERT INTO mark VALUES (?,?,?)`, r.ID, int64(m.At), m.Label); err != nil {
				return err
			}
			r.hasMarks, r.lastMark = true, m.At
		}
	}
	if err := r.writeProgress(b, s); err != nil {
		return err
	}
	if l := r.launch; l != nil && s.Timeline != nil {
		if l.events == nil {
			l.events = &events{launch: l.id, lanes: make(map[[2]int]*lane)}
		}
		if err := l.events.take(b, s.Timeline, false); err != nil {
			return err
		}
	}
	r.length = s.Elapsed
	if r.frames.add(s, r.samples, r.ordinal, r.oldest); r.frames.full() {
		return r.closeBlocks(b)
	}
	return nil
}

// writeProgress writes the new iterations of the launch, and its results so far.
func (r *Run) writeProgress(b *batch, s *engine.Snapshot) error {
	l := r.launch
	if l == nil || s.Iteration <= l.iterations {
		return nil
	}
	added := min(s.Iteration-l.iterations, len(s.IterationTimes))
	for i, t := range s.IterationTimes[len(s.IterationTimes)-added:] {
		if _, err := b.exec(`INSERT OR REPLACE INTO iteration VALUES (?,?,?)`, l.id, s.Iteration-added+i,
			realOrNull(t)); err != nil {
			return err
		}
	}
	l.iterations = s.Iteration
	return r.writeResult(b, s)
}

// writeResult writes the current metrics and verification.
func (r *Run) writeResult(b *batch, s *engine.Snapshot) error {
	for i := range s.Metrics {
		m := &s.Metrics[i]
		if _, err := b.exec(`INSERT OR REPLACE INTO metric VALUES (?,?,?,?,?,?)`, r.launch.id, i, m.Name,
			realOrNull(m.Value), m.Unit, string(m.Kind)); err != nil {
			return err
		}
	}
	_, err := b.exec(`UPDATE launch SET iterations=?, checks=?, verified=?, detail=?, failure=? WHERE id=?`,
		s.Iteration, s.Verification.Checks, s.Verification.Done && s.Verification.OK, s.Verification.Detail, s.Failure,
		r.launch.id)
	return err
}

// classes lists the names of the locality classes.
var classes = [cluster.Classes]string{"rank", "node", "remote"}

func (r *Run) writeOutcome(b *batch, o *engine.Outcome) error {
	l, s := r.launch, o.Last
	if l == nil {
		return nil
	}
	if err := r.writeProgress(b, s); err != nil {
		return err
	}
	if err := r.writeResult(b, s); err != nil {
		return err
	}
	if l.events != nil && s.Timeline != nil {
		if err := l.events.take(b, s.Timeline, true); err != nil {
			return err
		}
	}
	var hash, count, whole, total any
	if v := s.Virtual; v != nil {
		hash = fmt.Sprintf("%016x", v.Hash)
		total = int64(v.Time)
		count = strconv.FormatUint(v.Events, 10)
		whole = v.Whole
	}
	_, err := b.exec(`UPDATE launch SET cut=?, whole=?, hash=?, total_ps=?, events=? WHERE id=?`, o.Cut, whole, hash,
		total, count, l.id)
	return err
}

// writeLatencies writes the access times of an interval.
func (r *Run) writeLatencies(b *batch, l *engine.Latencies) error {
	if r.launch == nil {
		return nil
	}
	for c := range l.Class {
		x := &l.Class[c]
		if x.Count == 0 {
			continue
		}
		_, err := b.exec(`INSERT OR REPLACE INTO latency VALUES (?,?,?,?,?,?,?,?,?,?,?)`,
			r.launch.id, classes[c], int64(l.From), int64(l.To), x.Count, realOrNull(x.Mean), realOrNull(x.Min),
			realOrNull(x.P50), realOrNull(x.P99), realOrNull(x.Max), x.HDR)
		if err != nil {
			return err
		}
	}
	return nil
}
