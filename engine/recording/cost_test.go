package recording_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
)

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// liveSession runs two ranks on this host for a while, and returns the last snapshot.
func liveSession(b *testing.B, d time.Duration, o engine.Observer) *engine.Snapshot {
	b.Helper()
	sc := scenario(b, "randomaccess", "machine", "this-host", "nodes", "1", "ranks-per-node", "2", "group", "2")
	s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{For: d}, Observer: o})
	if err != nil {
		b.Fatal(err)
	}
	s.Start(context.Background())
	if err := s.Wait(); err != nil {
		b.Fatal(err)
	}
	return s.Load()
}

// BenchmarkRecording measures the cost of recording the samples of a live run on this host.
//
//   - alone: a second of published snapshots goes into a file at the rhythm of a session, and
//     nothing else runs. core-% is the processor time in per cent of one core.
//   - beside: sessions with and without a recording alternate. cost-% is the loss of accesses per
//     second in the median pair, and core-% the increase of processor time per access.
func BenchmarkRecording(b *testing.B) {
	begin := func(b *testing.B) (*recording.Writer, *recording.Run) {
		w, err := recording.Create(filepath.Join(b.TempDir(), "run.htr"))
		if err != nil {
			b.Fatal(err)
		}
		r, err := w.Begin(recording.Facts{Began: time.Now()})
		if err != nil {
			b.Fatal(err)
		}
		return w, r
	}
	b.Run("alone", func(b *testing.B) {
		w, r := begin(b)
		all := &tee{Observer: r}
		liveSession(b, time.Second, all)
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		spent, passed := time.Duration(0), time.Duration(0)
		for b.Loop() {
			w, r := begin(b)
			last := all.snaps[len(all.snaps)-1]
			r.Launched(&engine.Launch{Scenario: last.Scenario, Kind: last.Kind, Machine: last.Machine})
			began, was := time.Now(), busy(b)
			for _, s := range all.snaps {
				<-time.After(time.Until(began.Add(s.Elapsed)))
				r.Published(s)
				for _, l := range all.timed {
					if l.To == s.Elapsed {
						r.Timed(l)
					}
				}
			}
			r.Over()
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			spent, passed = spent+busy(b)-was, passed+time.Since(began)
		}
		b.ReportMetric(100*spent.Seconds()/passed.Seconds(), "core-%")
	})
	b.Run("beside", func(b *testing.B) {
		run := func(o engine.Observer) (rate, each float64) {
			was, began := busy(b), time.Now()
			s := liveSession(b, time.Second, o)
			n := 0.0
			for _, a := range s.Accesses {
				n += float64(a.Count)
			}
			return n / time.Since(began).Seconds(), (busy(b) - was).Seconds() / n
		}
		var rates, cores []float64
		for b.Loop() {
			w, r := begin(b)
			rateOn, eachOn := run(r)
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			rateOff, eachOff := run(nil)
			rates, cores = append(rates, 100*(1-rateOn/rateOff)), append(cores, 100*(eachOn/eachOff-1))
		}
		b.ReportMetric(median(rates), "cost-%")
		b.ReportMetric(median(cores), "core-%")
	})
}

// eventful returns a recording of the activities of threads on some nodes of 8 ranks, as random as
// a live run's, and of the messages between them, with 20 snapshots per second. It ends when more
// returns false.
func eventful(b testing.TB, nodes int, messages bool,
	more func(stretches, arrows int) bool) (file string, stretches, arrows int) {
	b.Helper()
	file = filepath.Join(b.TempDir(), "events.htr")
	last, w, r := begun(b, file, "nodes", strconv.Itoa(nodes), "ranks-per-node", "8")
	const (
		every            = 50 * time.Millisecond
		tick             = 250 // ps
		intervalsPerStep = 1 << 16
		sends            = 1 << 12
	)
	rec := timeline.NewRecorder(last.Layout, messages)
	ranks := last.Layout.Ranks()
	each := intervalsPerStep / ranks
	lanes := make([]*timeline.Lane, ranks)
	for i := range lanes {
		lanes[i] = rec.Team(i, 1)[0]
	}
	rng := rand.New(rand.NewPCG(7, 0))
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro&_pragma=busy_timeout(60000)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	all := []engine.Sample{}
	at := time.Duration(0)
	for seq := uint64(1); more(stretches, arrows); seq++ {
		at += every
		for i, l := range lanes {
			for k := range each {
				x := rng.Uint64()
				l.Until(l.End()+tick*cluster.Time(1+x%200), timeline.Activity(k%3), cluster.Kind(k%3), int32(x>>32)%4)
			}
			stretches += each
			for range sends / ranks {
				if messages {
					x := rng.Uint64()
					sent := l.End() - cluster.Time(x%100_000)
					rec.Message(timeline.Arrow{From: int32(i), To: int32(x>>40) % int32(ranks), Sent: sent,
						Received: sent + cluster.Time(x>>20%1_000_000), Bytes: 8 << (x >> 50 % 8), Tag: int32(x>>60) % 4})
					arrows++
				}
			}
		}
		s := last
		s.Seq = seq
		s.Elapsed = at
		s.Phase = engine.Running
		s.Virtual = nil
		all = append(all,
			engine.Sample{At: at, Fabric: lanes[0].End(), Local: rng.Float64(), Access: rng.Float64(),
				Rate: [cluster.Classes]float64{rng.Float64(), rng.Float64(), rng.Float64()}})
		s.Series = all[max(0, len(all)-12000):len(all):len(all)]
		s.Timeline = rec.View()
		r.Published(&s)
		for behind := 256 * every; seq%256 == 0 && behind >= 256*every; { // a session is slower: the file keeps up with it
			<-ticker.C
			var length int64
			if err := db.QueryRow(`SELECT ended_ns FROM run`).Scan(&length); err != nil {
				b.Fatal(err)
			}
			behind = at - time.Duration(length)
		}
	}
	r.Over()
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	f, err := recording.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if s, m, err := f.Dropped(f.Runs[0].ID); s != 0 || m != 0 || err != nil || r.Lost() != 0 {
		b.Fatal(s, m, r.Lost(), err)
	}
	return file, stretches, arrows
}

// sizeOf returns the size of a file in bytes.
func sizeOf(b testing.TB, file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// BenchmarkEvents measures intervals and messages on their way from the ranks into a file, with
// all processing. B counts the bytes of the whole file, minus those of snapshots without events.
// Run it with GOMAXPROCS=1; the processor time includes generating the events.
func BenchmarkEvents(b *testing.B) {
	const steps = 100
	for _, messages := range []bool{false, true} {
		name := "stretches"
		if messages {
			name = "arrows"
		}
		b.Run(name, func(b *testing.B) {
			var spent time.Duration
			n, bytes := 0, 0.0
			for b.Loop() {
				size := func(messages bool) (int64, int, int) {
					step := 0
					file, s, a := eventful(b, 1, messages, func(int, int) bool { step++; return step <= steps })
					return sizeOf(b, file), s, a
				}
				was := busy(b)
				all, stretches, arrows := size(messages)
				spent += busy(b) - was
				if !messages {
					n, bytes = n+stretches, bytes+float64(all)
					continue
				}
				without, _, _ := size(false)
				n, bytes = n+arrows, bytes+float64(all-without)
			}
			b.ReportMetric(bytes/float64(n), "B/each")
			if !messages {
				b.ReportMetric(float64(n)/spent.Seconds(), name+"/core-s")
			}
		})
	}
}

// size is the environment variable with the size in MB of BenchmarkOpen's recording.
const size = "HYBRIDTOP_RECORDING_MB"

// BenchmarkOpen measures opening a large recording until its first snapshot is available, and
// jumps in it. HYBRIDTOP_RECORDING_MB=1000 makes one of 1 GB; HYBRIDTOP_RECORDING_KEEP=FILE keeps
// it.
func BenchmarkOpen(b *testing.B) {
	mb, err := strconv.Atoi(os.Getenv(size))
	if err != nil {
		mb = 20
	}
	const each = 2.2 // bytes per interval, including the messages
	file, _, _ := eventful(b, 1, false, func(s, _ int) bool { return float64(s)*each < 1e6*float64(mb) })
	if keep := os.Getenv("HYBRIDTOP_RECORDING_KEEP"); keep != "" {
		if err := os.Rename(file, keep); err != nil {
			b.Fatal(err)
		}
		file = keep
	}
	b.Run(fmt.Sprintf("first/MB=%d", sizeOf(b, file)/1e6), func(b *testing.B) {
		was := busy(b)
		for b.Loop() {
			f, err := recording.Open(file)
			if err != nil {
				b.Fatal(err)
			}
			p, err := f.Player(f.Runs[0].ID)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := p.At(0); err != nil {
				b.Fatal(err)
			}
			_ = f.Close()
		}
		b.ReportMetric(1e3*(busy(b)-was).Seconds()/float64(b.N), "core-ms")
	})
	b.Run("jump", func(b *testing.B) { jump(b, file) })
}
