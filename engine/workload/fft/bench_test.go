package fft

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/engine"
)

// knobs is a probe that has no more than a scenario's knobs.
type knobs struct {
	engine.Probe
	of *engine.Scenario
}

func (k knobs) Text(knob string) string { return k.of.Text(knob) }
func (k knobs) Int(knob string) int64   { return k.of.Int(knob) }
func (k knobs) Clock() cluster.Time     { return 0 }
func (k knobs) Step(int, int)           {}
func (k knobs) Part(int, string)        {}

// BenchmarkAlone is a time step of one process on the host's own time, in turn with the
// sequential program; "ratio" is the median over the turns, for which the bar is 1.1.
func BenchmarkAlone(b *testing.B) {
	for _, class := range []string{"S", "W"} {
		b.Run("class="+class, func(b *testing.B) {
			s := fft.Scenario([]string{"this-host"})
			for _, k := range [][2]string{{"class", class}, {"nodes", "1"}, {"ranks-per-node", "1"}} {
				if err := s.Set(k[0], k[1]); err != nil {
					b.Fatal(err)
				}
			}
			box := problemOf(&s)
			alone := newSequential(&box)
			spec := cluster.Spec{Machine: cluster.Machine{Name: "this-host", Progress: cluster.ProgressCall, EagerLimit: 8 << 10}, Layout: s.Layout(), EagerLimit: -1}
			var ratios []float64
			err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
				x, err := newSolver(r, knobs{of: &s}, r.World(), box, grid{ty: 1, tz: 1}, slabsOf(&s), true)
				if err == nil {
					err = x.begin()
				}
				if err != nil {
					return err
				}
				for b.Loop() {
					took, sum, err := x.advance(1)
					if err != nil {
						return err
					}
					b.StopTimer()
					begun := r.Now()
					want := alone.checksum(1)
					ratios = append(ratios, float64(took)/float64(r.Now()-begun))
					if relative(real(sum), real(want)) > tolerance {
						return fmt.Errorf("checksum %v, want %v", sum, want)
					}
					b.StartTimer()
				}
				return x.free()
			})
			if err != nil {
				b.Fatal(err)
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
		})
	}
}
