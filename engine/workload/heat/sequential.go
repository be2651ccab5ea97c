package heat

// sequential returns the block's temperatures after all steps, computed by one process in a plain
// loop. A temperature spreads one cell per step, so a window of the cube is enough: errors from its
// cut sides do not reach the block.
func sequential(b *block, steps int) []float64 {
	lo, size := window(b, steps)
	n := size[0] * size[1] * size[2]
	t, next := make([]float64, n), make([]float64, n)
	at := func(x, y, z int) int { return x + size[0]*(y+size[1]*z) }
	for step := 0; step <= steps; step++ {
		for z := range size[2] {
			for y := range size[1] {
				for x := range size[0] {
					c := t[at(x, y, z)]
					sum, exposed := 0.0, 0
					for d := range directions {
						p := [3]int{x, y, z}
						p[d/2] += 2*(d%2) - 1
						switch q := lo[d/2] + p[d/2]; {
						case q < 0 || q == b.side:
							exposed++
						case p[d/2] >= 0 && p[d/2] < size[d/2]:
							sum += t[at(p[0], p[1], p[2])] - c
						}
					}
					if lo[0]+x == 0 && step <= steps/2 {
						sum += source
					}
					next[at(x, y, z)] = c + float64(dt*(sum-radiation(c, exposed)))
				}
			}
		}
		t, next = next, t
	}
	local := make([]float64, 0, b.cells())
	for z := range b.size[2] {
		for y := range b.size[1] {
			i := at(b.lo[0]-lo[0], b.lo[1]-lo[1]+y, b.lo[2]-lo[2]+z)
			local = append(local, t[i:i+b.size[0]]...)
		}
	}
	return local
}

// window returns the part of the cube that can influence the block in all steps.
func window(b *block, steps int) (lo, size [3]int) {
	for a := range 3 {
		lo[a] = max(b.lo[a]-steps-1, 0)
		size[a] = min(b.lo[a]+b.size[a]+steps+1, b.side) - lo[a]
	}
	return lo, size
}

// maxSequential is the maximum number of cell updates that all processes together compute
// sequentially as a reference. Larger cubes are checked only by their averages and their energy.
const maxSequential = 1 << 25

// checkable reports whether the blocks of this many processes are checked cell by cell. b is the
// block with the most cells.
func checkable(b *block, steps, processes int) bool {
	limit := int64(maxSequential / processes / (steps + 1))
	n := int64(1)
	for a := range 3 {
		n *= int64(min(b.size[a]+2*(steps+1), b.side))
		if n > limit {
			return false
		}
	}
	return true
}

// average holds the averages that the example publishes, by side and steps: the average of T before
// the last update.
var average = map[[2]int]float64{
	{20, 10}:   28910001.659627e-9,
	{20, 100}:  101705231.273039e-9,
	{20, 1000}: 226372573.760934e-9,
	{100, 10}:  5808348.947955e-9,
	{100, 100}: 21452388.032534e-9,
}
