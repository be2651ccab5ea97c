package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/cluster/codec/codectest"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// skipped lists the fields that are not plain data, which have their own tests, and the ones that recordings do
// not have.
var skipped = []string{"Timeline", "Checksum"}

// sketch is a drawing of these tests.
type sketch struct {
	Name  string
	Lines []float64
}

func (k *sketch) Fields(c *codec.Walk) {
	codec.Text(c, &k.Name)
	c.FloatList(&k.Lines)
}

func init() { RegisterDrawing[sketch]("sketch") }

// fill fills a snapshot, except for its timeline, so that the decoder accepts it.
func fill(s *Snapshot, f *codectest.Filler) {
	f.Repair = func(p any) {
		switch p := p.(type) {
		case *Table:
			p.Counts = make([]int64, max(len(p.Layers), 1)*len(p.Rows)*len(p.Columns))
			for i := range p.Counts {
				p.Counts[i] = f.Integer()
			}
		case *RankView:
			p.State = 1 + p.State%(cluster.States-1)
		case *StudyView:
			p.Now, p.Drawings = len(p.Rows), nil
			if f.Flag() {
				k := new(sketch)
				f.Fill(k)
				p.Draw(k)
			}
		}
	}
	f.Skip = skipped
	f.Fill(s)
}

// same compares bit for bit, except that all NaN are equal.
var same = cmp.Options{cmpopts.EquateNaNs(), cmpopts.IgnoreFields(Snapshot{}, skipped...)}

func trip(t interface {
	Helper()
	Fatal(...any)
}, s *Snapshot) *Snapshot {
	t.Helper()
	b := new(Encoder).Append([]byte("before"), s)
	if string(b[:6]) != "before" {
		t.Fatal("what stood before was overwritten")
	}
	back, err := new(Decoder).Decode(b[6:])
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// Every field of a snapshot, at every depth, is encoded: each has a different value, and a field
// that is not encoded comes back as zero.
func TestEveryFieldOfASnapshotTravels(t *testing.T) {
	s := filled(2)
	if d := cmp.Diff(s, trip(t, s), same); d != "" {
		t.Errorf("-sent +came\n%s", d)
	}
}

// filled returns a snapshot without zero fields, whose lists have n elements.
func filled(length int) *Snapshot {
	s := new(Snapshot)
	fill(s, codectest.Distinct(length, nil))
	return s
}

// Decoding restores a snapshot bit for bit.
func TestAnySnapshotTravels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := codectest.Filler{
			Integer: func() int64 { return rapid.Int64().Draw(t, "integer") },
			Float: func() float64 {
				return rapid.OneOf(rapid.Float64(),
					rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)})).Draw(t, "float")
			},
			Text:   func() string { return rapid.String().Draw(t, "text") },
			Flag:   func() bool { return rapid.Bool().Draw(t, "flag") },
			Length: func() int { return rapid.IntRange(-1, 2).Draw(t, "length") },
		}
		var s Snapshot
		fill(&s, &f)
		back := trip(t, &s)
		if d := cmp.Diff(&s, back, same); d != "" {
			t.Fatalf("-sent +came\n%s", d)
		}
		if !bytes.Equal(new(Encoder).Append(nil, &s), new(Encoder).Append(nil, back)) {
			t.Fatal("sent again it has other bytes")
		}
	})
}

// The zero snapshot can be encoded, and an empty list does not become nil.
func TestTheZeroSnapshotTravels(t *testing.T) {
	for _, s := range []*Snapshot{{}, {Warnings: []string{}, NodePairs: [][]int64{nil, {}}, Ranks: []RankView{}}} {
		if d := cmp.Diff(s, trip(t, s), same); d != "" {
			t.Error(d)
		}
	}
}

// A timeline is encoded with its snapshots, but its full blocks only once.
func TestTheTimelineTravels(t *testing.T) {
	s := usual(4, 0)
	rec := timeline.NewRecorder(s.Layout, true)
	lane := rec.Team(1, 1)[0]
	var e Encoder
	var d Decoder
	at, sizes := cluster.Time(0), []int(nil)
	for _, more := range []int{5000, 0, 10, 300} {
		for i := range more {
			at += 2
			lane.Until(at, timeline.Activity(i%timeline.Activities), cluster.KindPut, 0)
		}
		s.Timeline = rec.View()
		b := e.Append(nil, s)
		sizes = append(sizes, len(b))
		back, err := d.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		sent, came := &s.Timeline.Lanes[1], &back.Timeline.Lanes[1]
		if n := len(slices.Collect(came.Intervals(0, at))); n == 0 ||
			!slices.Equal(slices.Collect(sent.Intervals(0, at)), slices.Collect(came.Intervals(0, at))) {
			t.Errorf("after %d more: %d stretches came, and are others than those that were sent", more, n)
		}
	}
	if sizes[1] > sizes[0]-10_000 || sizes[3] < sizes[1] {
		t.Errorf("snapshots took %v B", sizes)
	}
}

// A truncated snapshot is rejected at every length.
func TestAPartOfASnapshotIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds under the race detector")
	}
	whole := new(Encoder).Append(nil, usual(3, 5))
	for n := range whole {
		if _, err := new(Decoder).Decode(whole[:n]); err == nil {
			t.Fatalf("%d of %d bytes are taken for a snapshot", n, len(whole))
		}
	}
}

// TestVersionsBeforeAreRead tests older versions. Version 10 does not store whether the processes of a job share
// segments. Version 9 does not store the job. Version 8 does not store whether data are size-only. Version 6 does not
// store the iterations of its tables either: they cover all iterations.
func TestVersionsBeforeAreRead(t *testing.T) {
	for _, c := range []struct {
		version byte
		missing int // bytes before the flag of the timeline
		counted int
		job     *Job
	}{{10, 1, 4, &Job{Library: "MPICH 4.0.2", Processes: 2}}, {9, 1, 4, nil}, {8, 2, 4, nil}, {6, 3, 5, nil}} {
		s := &Snapshot{Iteration: 5, Counted: 4, Why: "because", Job: c.job}
		b := new(Encoder).Append(nil, s)
		b[len(magic)] = c.version
		b = slices.Delete(b, len(b)-1-c.missing, len(b)-1)
		old, err := new(Decoder).Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		s.Counted = c.counted
		if !cmp.Equal(s, old, same, cmpopts.EquateEmpty()) {
			t.Errorf("version %d is read as\n%s", c.version, cmp.Diff(s, old, same, cmpopts.EquateEmpty()))
		}
	}
}

func TestWhatIsNoSnapshotIsRefused(t *testing.T) {
	good := new(Encoder).Append(nil, &Snapshot{})
	at := func(i int, b ...byte) []byte { return append(append(bytes.Clone(good[:i]), b...), good[i+1:]...) }
	huge := binary.AppendUvarint(nil, math.MaxUint64)
	for _, c := range []struct {
		what, want string
		b          []byte
	}{
		{"nothing", "not a hybridtop snapshot", nil},
		{"another thing", "not a hybridtop snapshot", []byte("GIF89a and more")},
		{"another version", "snapshot of version 12: want version 6 to 11", at(4, 12)},
		{"more behind it", "snapshot: 1 extra bytes at the end", append(bytes.Clone(good), 0)},
		{"a number in a longer form", "snapshot: a number is not in its shortest form", at(5, 0x80, 0)},
		{"a number that is too long", "snapshot: a number is not in its shortest form",
			at(5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)},
		{"a text that is longer than all", "snapshot: a length of 18446744073709551615 with", at(6, huge...)},
		{"a text that is a little longer",
			fmt.Sprintf("snapshot: a length of %d with %d bytes left", len(good)-7+1, len(good)-7),
			at(6, binary.AppendUvarint(nil, uint64(len(good)-7+1))...)},
	} {
		if _, err := new(Decoder).Decode(c.b); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
}

// Invalid values are rejected, not replaced.
func TestValuesOutOfRangeAreRefused(t *testing.T) {
	for what, s := range map[string]*Snapshot{
		"cluster.State 4: want less than 4": {Ranks: []RankView{{State: cluster.States}}},
	} {
		if _, err := new(Decoder).Decode(new(Encoder).Append(nil, s)); err == nil || !strings.HasSuffix(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
	good := new(Encoder).Append(nil,
		&Snapshot{Tallies: []Table{{Rows: []string{"r"}, Columns: []string{"c"}, Counts: []int64{7}}}})
	i := bytes.Index(good, []byte{1, 1, 14}) // there, one count, 7
	b := append(bytes.Clone(good[:i]), append([]byte{1, 2, 14, 14}, good[i+3:]...)...)
	if _, err := new(Decoder).Decode(b); err == nil || !strings.Contains(err.Error(), "1 × 1 × 1 cells, but 2 counts") {
		t.Errorf("two counts in one cell: %v", err)
	}
}

// An impossible length allocates no memory.
func TestALengthTakesNoMemoryBeforeItIsSeen(t *testing.T) {
	good := new(Encoder).Append(nil, &Snapshot{Ranks: []RankView{}})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tried := 0
	for i := range good {
		b := append(append(bytes.Clone(good[:i]), binary.AppendUvarint(nil, 1<<40)...), good[i+1:]...)
		if _, err := new(Decoder).Decode(b); err != nil {
			tried++
		}
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; tried == 0 || taken > 4<<20 {
		t.Errorf("%d lengths of 2⁴⁰ took %d B", tried, taken)
	}
}

// Any bytes decode to a snapshot that encodes to the same bytes, or to an error.
func FuzzSnapshot(f *testing.F) {
	f.Add(new(Encoder).Append(nil, &Snapshot{}))
	f.Add(new(Encoder).Append(nil, filled(1)))
	rec := timeline.NewRecorder(cluster.Layout{Nodes: 1, RanksPerNode: 1, ThreadsPerRank: 1}, true)
	rec.Message(timeline.Arrow{From: 0, To: 0, Received: 3})
	for i := range cluster.Time(300) {
		rec.Team(0, 1)[0].Until(i+1, timeline.Activity(i%2), cluster.KindPut, 0)
	}
	f.Add(new(Encoder).Append(nil, &Snapshot{Timeline: rec.View()}))
	f.Add([]byte(magic + "\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := new(Decoder).Decode(b)
		if err != nil {
			return
		}
		if again := new(Encoder).Append(nil, s); !bytes.Equal(again, b) {
			t.Errorf("%x decodes, and encodes to %x", b, again)
		}
	})
}

// usual returns a typical snapshot of a running session.
func usual(ranks, series int) *Snapshot {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &Snapshot{
		Seq: 1234, Phase: Running, Scenario: NewScenario("randomaccess", Base),
		Layout:   cluster.Layout{Nodes: 64, RanksPerNode: (ranks + 63) / 64, ThreadsPerRank: 1},
		SizeOnly: &SizeOnly{Bytes: 65536, Limit: 4096},
		Job:      &Job{Library: "MPICH 4.0.2", Processes: 2, Shared: true},
		Machine:  "demo", Kind: Simulated, Dilation: 1, Elapsed: time.Minute, Fabric: cluster.Second, Iteration: 1000,
		Traffic:    cluster.Traffic{Nodes: make([]int64, 64)},
		LaunchLine: "mpiexec --ranks-per-proc=4 \\\n  -env HOSTS=hosts.1 upcrun -n 4 myapp",
		Why:        "group 4 keeps every access inside a node.",
		Verification: Verification{Done: true, OK: true, Checks: 1000,
			Detail: "every rank's sum over its accesses is the sequential one"},
	}
	for range 256 {
		s.IterationTimes = append(s.IterationTimes, rng.Float64())
	}
	for i := range ranks {
		s.Ranks = append(s.Ranks,
			RankView{Node: i / 16, Group: i / 4, State: cluster.State(i % cluster.States),
				Share: [cluster.States]float64{0, rng.Float64(), rng.Float64(), rng.Float64()}})
	}
	for i := range series {
		sample := Sample{At: time.Duration(i) * 50 * time.Millisecond, Local: math.NaN(), Access: rng.Float64()}
		for class := range sample.Rate {
			sample.Rate[class], sample.Ops[class] = rng.Float64(), rng.Float64()
		}
		s.Series = append(s.Series, sample)
	}
	for class := range s.Latency {
		q := &s.Latency[class]
		q.Count, q.Mean = 1000, rng.Float64()
		for i := range 40 {
			q.Buckets = append(q.Buckets, Bucket{Upper: float64(i), Count: rng.Int64N(1000)})
		}
	}
	for range 64 {
		pairs := make([]int64, 64)
		for i := range pairs {
			pairs[i] = rng.Int64N(1 << 30)
		}
		s.NodePairs = append(s.NodePairs, pairs)
	}
	for _, name := range []string{"time_per_access", "rank_local_share", "node_local_share", "access_time_mean",
		"accesses_per_second", "memory_per_node", "replicas"} {
		s.Metrics = append(s.Metrics, Metric{Name: name, Value: rng.Float64(), Unit: "s", Kind: Simulated})
	}
	return s
}

func BenchmarkSnapshotEncode(b *testing.B) {
	for _, ranks := range []int{16, 1024} {
		b.Run(fmt.Sprintf("ranks=%d", ranks), func(b *testing.B) {
			s := usual(ranks, 600)
			var e Encoder
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				buf = e.Append(buf[:0], s)
			}
			b.ReportMetric(float64(len(buf)), "B")
		})
	}
}

func BenchmarkSnapshotDecode(b *testing.B) {
	buf := new(Encoder).Append(nil, usual(1024, 600))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := new(Decoder).Decode(buf); err != nil {
			b.Fatal(err)
		}
	}
}

// The same with gob, for comparison, with one encoder for all snapshots.
func BenchmarkSnapshotEncodeGob(b *testing.B) {
	from := reflect.ValueOf(usual(1024, 600)).Elem()
	var fields []reflect.StructField
	for i := range from.NumField() {
		if f := from.Type().Field(i); f.Name != skipped[0] {
			fields = append(fields, f)
		}
	}
	s := reflect.New(reflect.StructOf(fields))
	for _, f := range fields {
		s.Elem().FieldByName(f.Name).Set(from.FieldByName(f.Name))
	}
	var buf bytes.Buffer
	e := gob.NewEncoder(&buf)
	b.ReportAllocs()
	for b.Loop() {
		buf.Reset()
		if err := e.EncodeValue(s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(buf.Len()), "B")
}
