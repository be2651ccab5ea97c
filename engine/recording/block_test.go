package recording

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
)

// lifelike returns intervals like those of a live rank: few alternating labels, and times of a
// ticking clock.
func lifelike(n int, tick cluster.Time) []timeline.Interval {
	rng := rand.New(rand.NewPCG(7, uint64(tick)))
	at := cluster.Time(1000)
	all := make([]timeline.Interval, n)
	for i := range all {
		span := tick * cluster.Time(1+rng.IntN(200))
		all[i] = timeline.Interval{Begin: at, End: at + span, Activity: timeline.Activity(i % 3), Call: cluster.Kind(i % 3),
			Peer: int32(rng.IntN(4)) - 1}
		at += span
	}
	return all
}

func blockOf(all []timeline.Interval) *openBlock {
	b := new(openBlock)
	b.start(0, 0, all[0].Begin, timeline.Sums{})
	for i := range all {
		b.add(&all[i])
	}
	return b
}

// A decoded block equals the original, and a packed block is small.
func TestBlocks(t *testing.T) {
	for _, tick := range []cluster.Time{1, 250, 1000} {
		all := lifelike(blockLength, tick)
		b := blockOf(all)
		packed := newPacker().pack(b.encode())
		if each := float64(len(packed)) / float64(len(all)); each > 3 {
			t.Errorf("%.2f B per interval: want at most 3", each)
		}
		plain, err := newUnpacker().unpack(packed, checksum(packed))
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeIntervals(plain, len(all), len(all), new(intervalBuffers))
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range back {
			want := label{all[i].Activity, all[i].Call, all[i].Peer}
			if x.label != want || x.span != all[i].End-all[i].Begin {
				t.Fatalf("interval %d: got %+v, want %+v", i, x, all[i])
			}
		}
	}
	rng := rand.New(rand.NewPCG(7, 8))
	arrows := make([]timeline.Arrow, blockLength)
	at := cluster.Time(0)
	for i := range arrows {
		at += cluster.Time(rng.IntN(100000))
		arrows[i] = timeline.Arrow{From: int32(i % 4), To: int32((i + 1) % 4), FromThread: 1, Sent: at,
			Received: at + cluster.Time(rng.IntN(10000)), Bytes: 8, Tag: int32(i % 2)}
	}
	packed := newPacker().pack(encodeColumns(slices.Clone(arrows), arrowFields))
	if each := float64(len(packed)) / float64(len(arrows)); each > 10 {
		t.Errorf("%.2f B per message: want at most 10", each)
	}
	plain, err := newUnpacker().unpack(packed, checksum(packed))
	if err != nil {
		t.Fatal(err)
	}
	if back, err := decodeColumns(plain, len(arrows), blockLength, arrowFields); err != nil ||
		cmp.Diff(arrows, back) != "" {
		t.Error("messages differ", err)
	}
	packed[len(packed)/2] ^= 1
	if _, err := newUnpacker().unpack(packed, checksum(packed[1:])); err == nil {
		t.Error("a block with a wrong checksum is accepted")
	}
}

// Any bytes are a block or an error.
func FuzzBlock(f *testing.F) {
	f.Add(blockOf(lifelike(50, 10)).encode(), 50)
	f.Add(encodeColumns([]timeline.Arrow{{From: 1, Sent: 5, Received: 9}}, arrowFields), 1)
	f.Add(encodeColumns([]engine.Sample{{At: 5, Fabric: 7, Local: nan}}, sampleFields), 1)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		if all, err := decodeIntervals(b, n, n, new(intervalBuffers)); err == nil {
			if len(all) != n {
				t.Errorf("%d intervals of %d", len(all), n)
			}
			for _, upTo := range []int{1, n / 2} {
				if some, err := decodeIntervals(b, n, upTo, new(intervalBuffers)); err != nil || !slices.Equal(some, all[:upTo]) {
					t.Errorf("%d of %d intervals: %v, %v, want %v", upTo, n, some, err, all[:upTo])
				}
			}
		}
		if all, err := decodeColumns(b, n, blockLength, arrowFields); err == nil && len(all) != n {
			t.Errorf("%d messages of %d", len(all), n)
		}
		if all, err := decodeColumns(b, n, chunkLength, sampleFields); err == nil && len(all) != n {
			t.Errorf("%d samples of %d", len(all), n)
		}
		_, _ = decodeFrames(b, max(n, 0))
	})
}

// Packing and unpacking a block of a live rank's activities, on one core.
func BenchmarkStretches(b *testing.B) {
	all := lifelike(blockLength, 250)
	p, u := newPacker(), newUnpacker()
	var data []byte
	run := func(name string, do func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(data))/blockLength, "B/interval")
			b.ReportMetric(float64(b.N)*blockLength/b.Elapsed().Seconds(), "intervals/s")
		})
	}
	run("pack", func() error { data = p.pack(blockOf(all).encode()); return nil })
	data = p.pack(blockOf(all).encode())
	sum := checksum(data)
	run("unpack", func() error {
		_, err := u.unpackLane(data, sum, len(all), len(all))
		return err
	})
}
