package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// thisHost is the machine of the measured fabric, without delays.
var thisHost = cluster.Machine{Name: "this-host", Progress: cluster.ProgressCall, EagerLimit: 8 << 10}

// BenchmarkLive runs the bodies of the table as Go benchmarks. It only times the fabric's side, and
// runs the limit between its turns. "ratio" is the median over the quiet turns.
func BenchmarkLive(b *testing.B) {
	for _, k := range Cases() {
		b.Run(k.Name, func(b *testing.B) {
			b.ReportAllocs()
			b.StopTimer()
			var all rounds
			err := k.launch(b.Context(), live.New(), thisHost, func(turn turner) error {
				n, err := k.calibrate(turn, playValue, DefaultBatch)
				if err != nil {
					return err
				}
				m, err := k.calibrate(turn, playLimit, DefaultBatch)
				if err != nil {
					return err
				}
				timed := func(what which, n int) (time.Duration, error) {
					if what == playValue {
						b.StartTimer()
						defer b.StopTimer()
					}
					return turn(what, n)
				}
				iterations := (b.N + int(k.valueOps) - 1) / int(k.valueOps)
				for done := 0; done < iterations; done += n {
					if err := all.play(timed, timed, min(n, iterations-done), m); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(k.row(all).Ratio, "ratio")
			if s := b.Elapsed().Seconds(); s > 0 && k.Unit == perSecond {
				b.ReportMetric(float64(b.N)/s, "msgs/s")
			}
			if k.Unit == bytesRate {
				b.SetBytes(int64(k.size))
			}
		})
	}
}

// BenchmarkThreads runs the message rate of several threads as Go benchmarks, alternating with one
// thread. "ratio" is the median over the quiet turns.
func BenchmarkThreads(b *testing.B) {
	for _, k := range ThreadCases() {
		if k.Reference == nil || k.Unit != perSecond {
			continue
		}
		name := fmt.Sprintf("threads=%d", k.threads)
		if strings.HasPrefix(k.Name, "ep") {
			name = fmt.Sprintf("endpoints=%d", k.threads)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.StopTimer()
			var all rounds
			o := Options{Fabric: live.New(), Machine: thisHost}
			err := k.launchBoth(b.Context(), &o, func(value, reference turner) error {
				n, err := k.calibrate(value, playValue, DefaultBatch)
				if err != nil {
					return err
				}
				m, err := k.Reference.calibrate(reference, playValue, DefaultBatch)
				if err != nil {
					return err
				}
				timed := func(what which, n int) (time.Duration, error) {
					b.StartTimer()
					defer b.StopTimer()
					return value(what, n)
				}
				iterations := (b.N + int(k.valueOps) - 1) / int(k.valueOps)
				for done := 0; done < iterations; done += n {
					if err := all.play(timed, reference, min(n, iterations-done), m); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			k.limitOps = k.Reference.valueOps
			b.ReportMetric(k.row(all).Ratio, "ratio")
			if s := b.Elapsed().Seconds(); s > 0 {
				b.ReportMetric(float64(b.N)/s, "msgs/s")
			}
		})
	}
}
