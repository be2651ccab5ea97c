package barneshut

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// flops of an interaction, as they are usually counted (Warren and Salmon, A parallel
// hashed oct-tree N-body algorithm, 1993).
const flops = 38

// reader gives the records of a tree to a walk, and counts each read by its owner.
type reader interface {
	summary(r ref, into *summary) error
	children(r ref, into *children) error
}

// reads are those of a force computation, by thread of the group, and by depth in the
// tree and where they landed.
type reads struct {
	summaries, children []int64
	class               []cluster.Class // of a thread
	depth               int             // of the record that is read next
	depths              [depths][cluster.Classes]int64
}

// depths is how many depths are told apart: deeper records count with the last.
const depths = engine.MaxTally

func newReads(r *cluster.Rank, threads int) reads {
	all := reads{summaries: make([]int64, threads), children: make([]int64, threads), class: make([]cluster.Class, threads)}
	for t := range all.class {
		all.class[t] = r.Class(r.Group().Global(t))
	}
	return all
}

func (r *reads) clear() {
	clear(r.summaries)
	clear(r.children)
	clear(r.depths[:])
}

// summary counts a read of a summary, and opened one of a cell's children.
func (r *reads) summary(owner int) {
	r.summaries[owner]++
	r.depths[min(r.depth, depths-1)][r.class[owner]]++
}

func (r *reads) opened(owner int) {
	r.children[owner]++
	r.depths[min(r.depth, depths-1)][r.class[owner]]++
}

// sharedReader reads the tree by shared accesses.
type sharedReader struct {
	*tree
	reads *reads
}

func (s *sharedReader) summary(r ref, into *summary) error {
	s.reads.summary(r.owner())
	return s.read(r, into)
}

func (s *sharedReader) children(r ref, into *children) error {
	s.reads.opened(r.owner())
	return s.readChildren(r, into)
}

// cache keeps what a walk read of other ranks' memory, for a step.
type cache struct {
	reader
	me        int
	summaries map[ref]summary
	opened    map[ref]children
}

func newCache(of reader, me int) *cache {
	return &cache{reader: of, me: me, summaries: map[ref]summary{}, opened: map[ref]children{}}
}

func (c *cache) clear() {
	clear(c.summaries)
	clear(c.opened)
}

func (c *cache) summary(r ref, into *summary) error {
	if r.owner() == c.me {
		return c.reader.summary(r, into)
	}
	if had, ok := c.summaries[r]; ok {
		*into = had
		return nil
	}
	err := c.reader.summary(r, into)
	c.summaries[r] = *into
	return err
}

func (c *cache) children(r ref, into *children) error {
	if r.owner() == c.me {
		return c.reader.children(r, into)
	}
	if had, ok := c.opened[r]; ok {
		*into = had
		return nil
	}
	err := c.reader.children(r, into)
	c.opened[r] = *into
	return err
}

// pull is the force on a body of mass 1: an acceleration, and the potential.
type pull struct {
	a            [3]float64
	potential    float64
	interactions int
}

// add takes the pull of a mass at a distance; false: it is at the same place, unsoftened.
func (p *pull) add(d *[3]float64, square, mass, soft float64) bool {
	square += soft
	if square == 0 {
		return false
	}
	inverse := 1 / math.Sqrt(square)
	k := mass * inverse
	p.potential -= k
	k *= inverse * inverse
	for i := range d {
		p.a[i] += k * d[i]
	}
	p.interactions++
	return true
}

// walker computes forces by walks from the root.
type walker struct {
	reader
	root  ref
	theta float64
	soft  float64 // square of the softening
	reads *reads  // that are told the depth
	stack []visit
}

// visit is a record that a walk has before it, and its depth in the tree.
type visit struct {
	ref
	depth int
}

// on is the force on a body at a place. A cell is opened where its side is at least θ
// times as long as its distance.
func (w *walker) on(body float64, x []float64, lib cluster.Lib) (p pull, err error) {
	square := w.theta * w.theta
	var at summary
	var below children
	w.stack = append(w.stack[:0], visit{ref: w.root})
	for len(w.stack) > 0 {
		next := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		r := next.ref
		w.reads.depth = next.depth
		if err := w.summary(r, &at); err != nil {
			return p, err
		}
		d := [3]float64{at[0] - x[0], at[1] - x[1], at[2] - x[2]}
		distance := d[0]*d[0] + d[1]*d[1] + d[2]*d[2]
		if r.leaf() {
			if at[summaryBody] == body {
				continue
			}
		} else if side := 2 * at[summaryHalf]; side*side >= square*distance {
			if err := w.reader.children(r, &below); err != nil {
				return p, err
			}
			for i := len(below) - 1; i >= 0; i-- {
				if below[i] != 0 {
					w.stack = append(w.stack, visit{below[i], next.depth + 1})
				}
			}
			continue
		}
		if !p.add(&d, distance, at[summaryMass], w.soft) {
			return p, lib.Errorf("bodies %.0f and %.0f are at one place, and eps = 0: set eps above 0", body, at[summaryBody])
		}
	}
	return p, nil
}

// direct is the force on a body by all others, one by one.
func direct(state []float64, body int, soft float64) (p pull) {
	x := state[body*bodySize:]
	n := len(state) / bodySize
	for b := range n {
		if b == body {
			continue
		}
		y := state[b*bodySize:]
		d := [3]float64{y[0] - x[0], y[1] - x[1], y[2] - x[2]}
		p.add(&d, d[0]*d[0]+d[1]*d[1]+d[2]*d[2], 1/float64(n), soft)
	}
	return p
}
