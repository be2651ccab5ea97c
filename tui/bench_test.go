package tui

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
)

// BenchmarkFrame measures the worst case: each frame has a new snapshot, so that all panes and the
// text for the terminal are drawn again.
func BenchmarkFrame(b *testing.B) { frames(b, func(*program) {}) }

// BenchmarkBaseline measures the same with a baseline.
func BenchmarkBaseline(b *testing.B) {
	frames(b, func(p *program) {
		p.app.load(demo(64, 16, 8))
		keys(p.app, "b")
	})
}

// frames measures the frames of a prepared program.
func frames(b *testing.B, ready func(*program)) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {300, 90}} {
		b.Run(fmt.Sprintf("size=%dx%d/ranks=1024", size[0], size[1]), func(b *testing.B) {
			p := &program{app: newApp(), w: size[0], h: size[1]}
			snaps := [2]*engine.Snapshot{demo(64, 16, 16), demo(64, 16, 16)}
			ready(p)
			p.app.load(snaps[1])
			p.draw()
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				p.app.load(snaps[i&1])
				p.draw()
				i++
			}
			b.ReportMetric(float64(len(p.frame.Content)), "B/frame")
		})
	}
}

// BenchmarkOverlap measures the ε pane alone. Its fractions differ in every frame, as in a live
// run.
func BenchmarkOverlap(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {300, 90}} {
		b.Run(fmt.Sprintf("size=%dx%d", size[0], size[1]), func(b *testing.B) {
			p := &program{app: newApp(), w: size[0], h: size[1]}
			snaps := [2]*engine.Snapshot{scheme(1, 8), scheme(1, 8, func(s *engine.Snapshot) { s.Metrics[1].Value += 0.01 })}
			p.app.load(snaps[1])
			keys(p.app, "4")
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				p.app.load(snaps[i&1])
				p.draw()
				i++
			}
		})
	}
}
