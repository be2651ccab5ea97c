package barneshut

import "math"

// direct returns the force of all other bodies on a mass of 1 at a position, and its potential there. It is the
// reference of the forces, and uses none of their code.
func direct(state []float64, x [3]float64, without int, soft float64) (force [3]float64, potential float64) {
	bodies := len(state) / bodySize
	mass := 1 / float64(bodies)
	for b := range bodies {
		if b == without {
			continue
		}
		dx, dy, dz := state[b*bodySize]-x[0], state[b*bodySize+1]-x[1], state[b*bodySize+2]-x[2]
		r := math.Sqrt(dx*dx + dy*dy + dz*dz + soft)
		potential -= mass / r
		pull := mass / (r * r * r)
		force[0] += pull * dx
		force[1] += pull * dy
		force[2] += pull * dz
	}
	return force, potential
}

// probeLength is the length of a path over which the potential is compared with the work of a force, relative to the
// distance over which the force changes.
const probeLength = 1e-3

// A sample has the errors of some forces.
type sample struct {
	squares, off float64 // squares of the forces of all pairs, and of the differences from them
	worst        float64 // largest of these differences
	potential    float64 // Σ φ
	shift        float64 // Σ |φ' − φ|, compared with the potential of all pairs
	work, loss   float64 // Σ of the work of the forces along short paths, and of the loss of potential energy there
	bodies       float64
}

// add adds the force on a body.
func (s *sample) add(p *pull, state []float64, body int, soft float64) {
	x := [3]float64(state[body*bodySize:])
	want, potential := direct(state, x, body, soft)
	off, square, length := 0., 0., 0.
	for k := range 3 {
		off += (p.a[k] - want[k]) * (p.a[k] - want[k])
		square += want[k] * want[k]
		length += p.a[k] * p.a[k]
	}
	s.off += off
	s.squares += square
	s.worst = max(s.worst, off)
	s.potential -= potential
	s.shift += math.Abs(p.potential - potential)
	s.bodies++
	if length == 0 || soft == 0 {
		return
	}
	step := probeLength * math.Sqrt(soft/length)
	ahead, behind := x, x
	for k := range 3 {
		ahead[k] += step * p.a[k]
		behind[k] -= step * p.a[k]
	}
	_, low := direct(state, ahead, body, soft)
	_, high := direct(state, behind, body, soft)
	s.work += 2 * step * length
	s.loss += high - low
}
