package bench

import (
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// thisHost is the machine that the fabric is measured on: no delays added.
var thisHost = cluster.Machine{Name: "this-host", Progress: cluster.ProgressCall, EagerLimit: 8 << 10}

// BenchmarkLive runs the bodies of the table as Go benchmarks. Only the fabric's
// side is timed; the limit runs between its turns, and "ratio" is the median
// over the quiet ones.
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
					if err := all.play(timed, min(n, iterations-done), m); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			_, _, ratios := k.figures(all.quiet())
			b.ReportMetric(quantile(ratios, .5), "ratio")
			if s := b.Elapsed().Seconds(); s > 0 && k.Unit == perSecond {
				b.ReportMetric(float64(b.N)/s, "msgs/s")
			}
			if k.Unit == bytesRate {
				b.SetBytes(int64(k.size))
			}
		})
	}
}
