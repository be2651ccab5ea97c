package fft

import "github.com/hybridtop/hybridtop/engine/algorithm"

// problem is a box of points and the classes' published results.
type problem struct {
	n     [3]int // points along x, y, z
	steps int    // of the benchmark; 0: no end
	sums  []complex128
}

func (b *problem) points() int { return b.n[0] * b.n[1] * b.n[2] }

// ownSizes is the class whose sizes are knobs.
const ownSizes = "own"

// classes are the classes of NAS FT. The sums are the checksums of NASA's verification (NPB 3.3 and
// 3.4, ft.f and appft.f, as in the public copies Co-dfns/Co-dfns:benchmarks/npb/NPB3.3-OMP/FT and
// others: S, W and A are equal in eight of them).
var classes = map[string]problem{
	"S": {[3]int{64, 64, 64}, 6, []complex128{
		complex(5.546087004964e+02, 4.845363331978e+02),
		complex(5.546385409189e+02, 4.865304269511e+02),
		complex(5.546148406171e+02, 4.883910722336e+02),
		complex(5.545423607415e+02, 4.901273169046e+02),
		complex(5.544255039624e+02, 4.917475857993e+02),
		complex(5.542683411902e+02, 4.932597244941e+02),
	}},
	"W": {[3]int{128, 128, 32}, 6, []complex128{
		complex(5.673612178944e+02, 5.293246849175e+02),
		complex(5.631436885271e+02, 5.282149986629e+02),
		complex(5.594024089970e+02, 5.270996558037e+02),
		complex(5.560698047020e+02, 5.260027904925e+02),
		complex(5.530898991250e+02, 5.249400845633e+02),
		complex(5.504159734538e+02, 5.239212247086e+02),
	}},
	"A": {[3]int{256, 256, 128}, 6, []complex128{
		complex(5.046735008193e+02, 5.114047905510e+02),
		complex(5.059412319734e+02, 5.098809666433e+02),
		complex(5.069376896287e+02, 5.098144042213e+02),
		complex(5.077892868474e+02, 5.101336130759e+02),
		complex(5.085233095391e+02, 5.104914655194e+02),
		complex(5.091487099959e+02, 5.107917842803e+02),
	}},
}

// problemOf returns the box that the knobs choose.
func problemOf(s algorithm.Reader) problem {
	if b, ok := classes[s.Text("class")]; ok {
		return b
	}
	return problem{n: [3]int{int(s.Int("nx")), int(s.Int("ny")), int(s.Int("nz"))}}
}

// sum returns the published checksum of a time step, or false if there is none.
func (b *problem) sum(t int) (complex128, bool) {
	if t < 1 || t > len(b.sums) {
		return 0, false
	}
	return b.sums[t-1], true
}

// step returns the number of the time step of an iteration. After the last step the benchmark
// starts again.
func (b *problem) step(iteration int) int {
	if b.steps == 0 {
		return iteration + 1
	}
	return iteration%b.steps + 1
}

// flops returns the usual count for a transform of the box, 5·N·log₂ N.
func (b *problem) flops() float64 { return flops(b.points()) }
