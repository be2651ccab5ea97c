package recording

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Player replays the snapshots of a run.
type Player struct {
	Run    RunInfo
	Marks  []engine.Mark
	Length time.Duration // time of the last snapshot

	file     *File
	blocks   []snapshotBlock
	launches []int64
	open     []*openedBlock // the latest blocks, at most keptBlocks
	samples  window
	tracks   *tracks
	last     *engine.Snapshot
	lastAt   [2]int // of last: block, and number in the block
}

// snapshotBlock is a block of snapshots.
type snapshotBlock struct {
	first    int64
	n        int
	from, to time.Duration
}

// openedBlock is an unpacked block.
type openedBlock struct {
	at      int
	records []record
}

// keptBlocks is the number of blocks that stay unpacked.
const keptBlocks = 4

// maxFrames is the maximum number of snapshots of a block.
const maxFrames = 4096

// Player opens a run.
func (f *File) Player(run int64) (*Player, error) {
	at := slices.IndexFunc(f.Runs, func(r RunInfo) bool { return r.ID == run })
	if at < 0 {
		return nil, fmt.Errorf("%s has no run %d", f.Name, run)
	}
	p := &Player{Run: f.Runs[at], file: f}
	p.samples = window{file: f, run: run}
	var bad error
	err := f.each(`SELECT first, n, from_ns, to_ns FROM frame WHERE run=? ORDER BY first`, []any{run}, func(r *resultRow) {
		s := snapshotBlock{first: r.int(), n: int(r.int()), from: time.Duration(r.int()), to: time.Duration(r.int())}
		if n := len(p.blocks); s.n < 1 || s.n > maxFrames || s.to < s.from ||
			n > 0 && (s.from < p.blocks[n-1].to || s.first != p.blocks[n-1].first+int64(p.blocks[n-1].n)) {
			bad = fmt.Errorf("snapshots %d to %d: out of sequence", s.first, s.first+int64(s.n)-1)
		}
		p.blocks = append(p.blocks, s)
	})
	if err == nil {
		err = bad
	}
	if err == nil {
		err = f.each(`SELECT id FROM launch WHERE run=? ORDER BY id`, []any{run}, func(r *resultRow) {
			p.launches = append(p.launches, r.int())
		})
	}
	if err != nil {
		return nil, f.explain(err)
	}
	if len(p.blocks) == 0 {
		return nil, fmt.Errorf("%s: run %d has no snapshots: it was interrupted before the first", f.Name, run)
	}
	p.Length = p.blocks[len(p.blocks)-1].to
	p.Marks, err = f.Marks(run)
	return p, err
}

// Begin returns the time of the first snapshot.
func (p *Player) Begin() time.Duration { return p.blocks[0].from }

// At returns the latest snapshot at a time, or the first snapshot if the time is earlier.
func (p *Player) At(at time.Duration) (*engine.Snapshot, error) {
	k := max(sort.Search(len(p.blocks), func(i int) bool { return p.blocks[i].from > at })-1, 0)
	o, err := p.unpackBlock(k)
	if err != nil {
		return nil, p.file.explain(err)
	}
	i := max(sort.Search(len(o.records), func(i int) bool { return o.records[i].at > at })-1, 0)
	if p.last != nil && p.lastAt == [2]int{k, i} {
		return p.last, nil
	}
	s, err := p.restore(&o.records[i], p.lastAt == [2]int{k, i - 1} || i == 0 && p.lastAt[0] == k-1)
	if err != nil {
		return nil, p.file.explain(fmt.Errorf("snapshot %d of run %d: %w", p.blocks[k].first+int64(i), p.Run.ID, err))
	}
	p.last, p.lastAt = s, [2]int{k, i}
	return s, nil
}

// Next returns the time of the first snapshot after a time. It reports false if there is none.
func (p *Player) Next(at time.Duration) (time.Duration, bool) {
	k := max(sort.Search(len(p.blocks), func(i int) bool { return p.blocks[i].from > at })-1, 0)
	o, err := p.unpackBlock(k)
	if err != nil {
		return 0, false
	}
	if i := sort.Search(len(o.records), func(i int) bool { return o.records[i].at > at }); i < len(o.records) {
		return o.records[i].at, true
	}
	if k+1 < len(p.blocks) {
		return p.blocks[k+1].from, true
	}
	return 0, false
}

// unpackBlock returns the snapshots of a block.
func (p *Player) unpackBlock(k int) (*openedBlock, error) {
	for _, o := range p.open {
		if o.at == k {
			return o, nil
		}
	}
	s := &p.blocks[k]
	var data []byte
	var crc int64
	if err := p.file.each(`SELECT crc, data FROM frame WHERE run=? AND first=?`, []any{p.Run.ID, s.first},
		func(r *resultRow) { crc, data = r.int(), slices.Clone(r.blob()) }); err != nil {
		return nil, err
	}
	b, err := p.file.unpack.unpack(data, crc)
	var all []record
	if err == nil {
		all, err = decodeFrames(b, s.n)
	}
	if err != nil {
		return nil, fmt.Errorf("snapshots %d to %d of run %d: %w", s.first, s.first+int64(s.n)-1, p.Run.ID, err)
	}
	o := &openedBlock{at: k, records: all}
	p.open = append(p.open, o)
	if len(p.open) > keptBlocks {
		p.open = p.open[1:]
	}
	return o, nil
}

// restore completes a snapshot with its series and timeline. follows must be set if it is the
// successor of the last one.
func (p *Player) restore(r *record, follows bool) (*engine.Snapshot, error) {
	s, x, err := decodeSnapshot(r)
	if err != nil {
		return nil, err
	}
	if x.window < 0 || x.window > maxSamples || int64(x.window) > x.samples || x.launch < 0 || x.launch > len(p.launches) {
		return nil,
			fmt.Errorf("%d of %d samples in launch %d of %d: out of range", x.window, x.samples, x.launch, len(p.launches))
	}
	s.Series, err = p.samples.slice(x.samples-int64(x.window), x.samples)
	if err != nil {
		return nil, err
	}
	if err := checkSnapshot(s); err != nil {
		return nil, err
	}
	if x.timeline != nil && x.launch > 0 {
		id := p.launches[x.launch-1]
		if p.tracks == nil || p.tracks.launch != id {
			p.tracks, err = p.file.tracks(id)
			if err != nil {
				return nil, err
			}
		}
		err = p.file.inTransaction(func() (err error) {
			s.Timeline, err = p.tracks.view(x.timeline, s.Layout, follows)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// decodeSnapshot decodes a record: the snapshot without its series and timeline, and the frame
// that describes these.
func decodeSnapshot(r *record) (*engine.Snapshot, *frame, error) {
	c := codec.Decode([]byte(r.body))
	x := new(frame)
	if x.fields(c); c.Err() != nil {
		return nil, nil, c.Err()
	}
	var d engine.Decoder
	s, err := d.Decode([]byte(r.body)[len(r.body)-c.Left():])
	return s, x, err
}

// maxSamples is the maximum number of samples of a snapshot.
const maxSamples = 1 << 16

// checkSnapshot rejects a snapshot that no session publishes and that could crash a screen.
func checkSnapshot(s *engine.Snapshot) error {
	if err := s.Check(); err != nil || s.Layout.Nodes == 0 {
		return err
	}
	return checkKnobs(&s.Scenario)
}

// checkKnobs rejects a workload that this program does not have. It sets the workload's newer
// knobs to their defaults.
func checkKnobs(sc *engine.Scenario) error {
	for i := range sc.Table {
		if _, ok := sc.Values[sc.Table[i].Name]; !ok {
			return fmt.Errorf("knob %q has no value", sc.Table[i].Name)
		}
	}
	w, err := workload.Find(sc.Workload)
	if err != nil {
		return err
	}
	now := w.Scenario(nil)
	if sc.Values == nil {
		sc.Values = make(map[string]string)
	}
	for _, k := range now.Table {
		if _, err := sc.Knob(k.Name); err != nil {
			sc.Table = append(sc.Table, k)
			sc.Values[k.Name] = now.Values[k.Name]
		}
	}
	return nil
}

// tracks holds the lanes of a launch that are in memory.
type tracks struct {
	file     *File
	launch   int64
	recorder *timeline.Recorder // identifies the launch
	lanes    map[[2]int]*track
	arrows   *track
}

// track is a lane with the intervals that were read last.
type track struct {
	id    int64
	strip *timeline.Strip
}

// Limits of the intervals in a view of a recording: of all lanes, and of one lane.
const (
	maxViewIntervals = 1 << 19
	minLaneIntervals = 256
	maxLaneIntervals = 1 << 16
)

// tracks opens the lanes of a launch.
func (f *File) tracks(launch int64) (*tracks, error) {
	t := &tracks{file: f, launch: launch, recorder: new(timeline.Recorder), lanes: make(map[[2]int]*track)}
	err := f.each(`SELECT id, rank, thread FROM lane WHERE launch=?`, []any{launch}, func(r *resultRow) {
		one := &track{id: r.int()}
		if key := [2]int{int(r.int()), int(r.int())}; key == [2]int{-1, -1} {
			t.arrows = one
		} else {
			t.lanes[key] = one
		}
	})
	return t, err
}

// view returns the timeline at a moment. If it does not follow the last one, it gets a new
// recorder, so that results cached for the last view are not continued.
func (t *tracks) view(m *timeline.Moment, l cluster.Layout, follows bool) (*timeline.View, error) {
	if !follows {
		t.recorder = new(timeline.Recorder)
	}
	want := uint64(min(max(maxViewIntervals/max(len(m.Lanes), 1), minLaneIntervals), maxLaneIntervals))
	strips := make([]*timeline.Strip, len(m.Lanes))
	all := make([]*track, len(m.Lanes))
	for i := range m.Lanes {
		if x := &m.Lanes[i]; x.Count > 1 {
			all[i] = t.lanes[[2]int{x.Rank, x.Thread}]
		}
	}
	d := t.file.decoding()
	for i, one := range all {
		if one == nil {
			continue
		}
		if err := one.read(t.file, d, m.Lanes[i].Count-1, want, follows); err != nil {
			d.fail(one, err)
			break
		}
	}
	bad := d.end()
	for i, one := range all {
		if one == nil {
			continue
		}
		if err := bad[one]; err != nil {
			return nil, fmt.Errorf("rank %d, thread %d: %w", m.Lanes[i].Rank, m.Lanes[i].Thread, err)
		}
		strips[i] = one.strip
	}
	var arrows []timeline.Arrow
	if m.Arrows && t.arrows != nil {
		var err error
		arrows, err = t.messages(m.Messages)
		if err != nil {
			return nil, err
		}
	}
	return m.Restore(t.recorder, l, strips, arrows)
}

// read loads the intervals before number end, and at least the number want if they exist. With whole
// it decodes the blocks completely, because the next view will need the rest.
func (t *track) read(f *File, d *decoding, end, want uint64, whole bool) error {
	from := end - min(end, want)
	if s := t.strip; s != nil && s.First() <= from && s.Count() >= end && s.Count() < end+4*maxLaneIntervals {
		return nil
	}
	if s := t.strip; s == nil || s.First() > from || s.Count() < from || s.Count()-s.First() > 4*want+4*blockLength {
		t.strip = nil
	} else {
		from = s.Count()
	}
	piece := piece{track: t, from: from, upTo: end}
	if whole {
		piece.upTo = math.MaxUint64
	}
	err := f.each(`SELECT b.first, b.n, b.from_ps, b.before, b.crc, y.data FROM block b JOIN body y ON y.block = b.id
WHERE b.lane=? AND b.first>=coalesce((SELECT max(first) FROM block WHERE lane=? AND first<=?), 0) AND b.first<? ORDER BY b.first`, []any{t.id, t.id, int64(from), int64(end)}, func(r *resultRow) {
		piece.rows = append(piece.rows,
			blockRow{first: uint64(r.int()), n: int(r.int()), begin: cluster.Time(r.int()), before: slices.Clone(r.blob()),
				crc: r.int(), data: slices.Clone(r.blob())})
	})
	if err == nil && piece.rows != nil {
		d.add(piece)
	}
	return err
}

// blockRow is a row of the table of blocks.
type blockRow struct {
	first  uint64
	n      int
	begin  cluster.Time
	before []byte // sums
	crc    int64
	data   []byte
}

// add appends the intervals of a block that are not yet in memory, up to number upTo.
func (t *track) add(u *unpacker, b *blockRow, from, upTo uint64) error {
	if upTo <= b.first || t.strip != nil && b.first+uint64(b.n) <= t.strip.Count() {
		return nil // already present, or not needed
	}
	all, err := u.unpackLane(b.data, b.crc, b.n, int(min(upTo-b.first, uint64(b.n))))
	if err != nil {
		return fmt.Errorf("intervals from %d on: %w", b.first, err)
	}
	first, end := b.first, b.begin
	next := func(x *interval) error {
		if end+x.span <= end {
			return fmt.Errorf("interval %d ends before it begins", first)
		}
		end += x.span
		first++
		return nil
	}
	if s := t.strip; s == nil || s.Count() < first || s.Count() == first && s.End() != end { // a gap before the block
		var sums timeline.Sums
		c := codec.Decode(b.before)
		for i := range sums {
			codec.Integer(c, &sums[i])
		}
		if err := c.End(); err != nil {
			return err
		}
		for ; len(all) > 0 && first < from; all = all[1:] {
			if err := next(&all[0]); err != nil {
				return err
			}
			sums[all[0].activity] += all[0].span
		}
		t.strip = timeline.NewStrip(first, end, sums)
	} else {
		for ; len(all) > 0 && first < s.Count(); all = all[1:] {
			if err := next(&all[0]); err != nil {
				return err
			}
		}
		if end != s.End() {
			return fmt.Errorf("interval %d begins at %d: want %d", first, end, s.End())
		}
	}
	for i := range all {
		if err := next(&all[i]); err != nil {
			return err
		}
		t.strip.Add(all[i].activity, all[i].call, all[i].peer, end)
	}
	return nil
}

// messages returns the latest messages before a number.
func (t *tracks) messages(upTo uint64) ([]timeline.Arrow, error) {
	first := upTo - min(upTo, timeline.MaxArrows)
	var all []timeline.Arrow
	var bad error
	err := t.file.each(`SELECT b.first, b.n, b.crc, y.data FROM block b JOIN body y ON y.block = b.id WHERE b.lane=? AND b.first+b.n>? AND b.first<? ORDER BY b.first`,
		[]any{t.arrows.id, int64(first), int64(upTo)}, func(r *resultRow) {
			at := uint64(r.int())
			n := int(r.int())
			crc := r.int()
			data := r.blob()
			b, err := t.file.unpack.unpack(data, crc)
			var some []timeline.Arrow
			if err == nil {
				some, err = decodeColumns(b, n, blockLength, arrowFields)
			}
			if err != nil {
				if bad == nil {
					bad = fmt.Errorf("messages from %d on: %w", at, err)
				}
				return
			}
			lo, hi := uint64(0), uint64(n)
			if at < first {
				lo = min(first-at, hi)
			}
			if at+hi > upTo {
				hi = upTo - min(at, upTo)
			}
			if lo < hi {
				all = append(all, some[lo:hi]...)
			}
		})
	if err == nil {
		err = bad
	}
	return all, err
}
