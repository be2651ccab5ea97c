package barneshut

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// flops is the usual number of flops of an interaction (Warren and Salmon, A parallel hashed
// oct-tree N-body algorithm, 1993).
const flops = 38

// A reader returns the records of a tree to a walk. It counts each read by the record's owner and
// depth; deeper records than depths count with the last depth. A returned record is valid until the
// next read.
type reader interface {
	summary(r ref, depth int) (*summary, error)
	children(r ref, depth int) (*children, error)
}

// reads counts the reads of a force computation by thread of the group, and by depth in the tree
// and distance of the owner.
type reads struct {
	summaries, children []int64
	class               []cluster.Class // by thread
	depths              [depths][cluster.Classes]int64
}

// depths is the number of distinct depths. Deeper records count with the last one.
const depths = engine.MaxTally

func newReads(r *cluster.Rank, threads int) reads {
	all := reads{summaries: make([]int64, threads), children: make([]int64, threads), class: make([]cluster.Class, threads)}
	for t := range all.class {
		all.class[t] = r.Spec().Layout.ClassOf(r.ID(), r.Group().Global(t))
	}
	return all
}

func (r *reads) clear() {
	clear(r.summaries)
	clear(r.children)
	clear(r.depths[:])
}

// summary counts a read of a summary, and opened a read of a cell's children.
func (r *reads) summary(owner, depth int) {
	r.summaries[owner]++
	r.depths[depth][r.class[owner]]++
}

func (r *reads) opened(owner, depth int) {
	r.children[owner]++
	r.depths[depth][r.class[owner]]++
}

// sharedReader reads the tree with shared accesses.
type sharedReader struct {
	*tree
	reads *reads
	sum   summary
	below children
}

func (s *sharedReader) summary(r ref, depth int) (*summary, error) {
	s.reads.summary(r.owner(), depth)
	return &s.sum, s.read(r, &s.sum)
}

func (s *sharedReader) children(r ref, depth int) (*children, error) {
	s.reads.opened(r.owner(), depth)
	return &s.below, s.readChildren(r, &s.below)
}

// placeReader reads the tree in place, through pointers-to-shared that were cast to local pointers.
// It counts its reads itself until tell.
type placeReader struct {
	leaves, threads int
	summaries       [][]float64 // of each thread: leaves, then cells
	links           [][]uint64
	counts          []int64 // reads, by depth and thread
	opened          []int64 // of these, of children, by thread
}

// newPlaceReader returns a reader of records in place, or nil if some records cannot be loaded
// directly.
func newPlaceReader(t *tree) *placeReader {
	p := &placeReader{leaves: t.leaves, summaries: t.summaries.Parts(), links: t.links.Parts()}
	p.threads = len(p.summaries)
	for i := range p.threads {
		if p.summaries[i] == nil || p.links[i] == nil {
			return nil
		}
	}
	if p.threads == 0 {
		return nil
	}
	p.counts, p.opened = make([]int64, depths*p.threads), make([]int64, p.threads)
	return p
}

// at returns a record's summary in place.
func (p *placeReader) at(r ref, depth int) *summary {
	owner, i := r.owner(), r.index()
	if !r.leaf() {
		i += p.leaves
	}
	p.counts[depth*p.threads+owner]++
	return (*summary)(p.summaries[owner][i*5:])
}

// below returns a cell's children in place.
func (p *placeReader) below(r ref, depth int) *children {
	owner := r.owner()
	p.counts[depth*p.threads+owner]++
	p.opened[owner]++
	return childrenOf(p.links[owner][r.index()*8:])
}

func (p *placeReader) summary(r ref, depth int) (*summary, error)   { return p.at(r, depth), nil }
func (p *placeReader) children(r ref, depth int) (*children, error) { return p.below(r, depth), nil }

// tell adds the reads since its last call to the counts of a rank and to its traffic.
func (p *placeReader) tell(to *reads, r *cluster.Rank) {
	group := r.Group()
	for t, opened := range p.opened {
		all := int64(0)
		for depth := range depths {
			n := p.counts[depth*p.threads+t]
			all += n
			to.depths[depth][to.class[t]] += n
		}
		if all == 0 {
			continue
		}
		to.summaries[t] += all - opened
		to.children[t] += opened
		r.Account(group.Global(t), all, (all-opened)*summaryBytes+opened*childrenBytes)
	}
	clear(p.counts)
	clear(p.opened)
}

// A cache stores the records that a rank has read from other ranks' memory during a step.
type cache struct {
	reader
	me        int
	summaries map[ref]*summary
	opened    map[ref]*children
}

func newCache(of reader, me int) *cache {
	return &cache{reader: of, me: me, summaries: map[ref]*summary{}, opened: map[ref]*children{}}
}

func (c *cache) clear() {
	clear(c.summaries)
	clear(c.opened)
}

func (c *cache) summary(r ref, depth int) (*summary, error) {
	if r.owner() == c.me {
		return c.reader.summary(r, depth)
	}
	if had := c.summaries[r]; had != nil {
		return had, nil
	}
	got, err := c.reader.summary(r, depth)
	if err != nil {
		return nil, err
	}
	kept := *got
	c.summaries[r] = &kept
	return &kept, nil
}

func (c *cache) children(r ref, depth int) (*children, error) {
	if r.owner() == c.me {
		return c.reader.children(r, depth)
	}
	if had := c.opened[r]; had != nil {
		return had, nil
	}
	got, err := c.reader.children(r, depth)
	if err != nil {
		return nil, err
	}
	kept := *got
	c.opened[r] = &kept
	return &kept, nil
}

// A pull is the force on a body of mass 1: an acceleration, and the potential.
type pull struct {
	a            [3]float64
	potential    float64
	interactions int
}

// add adds the pull of a mass at a distance. It returns false if the mass is at the same position,
// without softening.
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

// A walker computes forces by walks from the root.
type walker struct {
	reader
	place *placeReader // the reader, if it is a placeReader: avoids interface calls per record
	root  ref
	theta float64
	soft  float64 // square of the softening
	stack []visit
}

// A visit is a record that a walk has yet to read, and its depth in the tree.
type visit struct {
	ref
	depth int // at most depths-1
}

// on returns the force on a body at a position. A cell is opened if its side is at least θ times
// its distance.
func (w *walker) on(body float64, x []float64, lib cluster.Lib) (p pull, err error) {
	square := w.theta * w.theta
	stack, place := append(w.stack[:0], visit{ref: w.root}), w.place
	for len(stack) > 0 {
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		r, depth := next.ref, next.depth
		var at *summary
		if place != nil {
			at = place.at(r, depth)
		} else if at, err = w.summary(r, depth); err != nil {
			return p, err
		}
		d := [3]float64{at[0] - x[0], at[1] - x[1], at[2] - x[2]}
		distance := d[0]*d[0] + d[1]*d[1] + d[2]*d[2]
		if r.leaf() {
			if at[summaryBody] == body {
				continue
			}
		} else if side := 2 * at[summaryHalf]; side*side >= square*distance {
			var below *children
			if place != nil {
				below = place.below(r, depth)
			} else if below, err = w.children(r, depth); err != nil {
				return p, err
			}
			deeper := min(depth+1, depths-1)
			for i := len(below) - 1; i >= 0; i-- {
				if below[i] != 0 {
					stack = append(stack, visit{below[i], deeper})
				}
			}
			continue
		}
		if !p.add(&d, distance, at[summaryMass], w.soft) {
			return p, lib.Errorf("bodies %.0f and %.0f have the same position, and eps = 0; set eps above 0", body, at[summaryBody])
		}
	}
	w.stack = stack
	return p, nil
}

// direct returns the force on a body as the sum over all other bodies.
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
