package barneshut

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

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

// inPlaceReader reads the tree in place, through pointers-to-shared that were cast to local
// pointers. It counts its reads itself until flush.
type inPlaceReader struct {
	leaves, threads int
	summaries       [][]float64 // of each thread: leaves, then cells
	links           [][]uint64
	counts          []int64 // reads, by depth and thread
	opened          []int64 // of these, of children, by thread
}

// newInPlaceReader returns a reader of records in place, or nil if some records cannot be loaded
// directly.
func newInPlaceReader(t *tree) *inPlaceReader {
	p := &inPlaceReader{leaves: t.leaves, summaries: t.summaries.Parts(), links: t.links.Parts()}
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
func (p *inPlaceReader) at(r ref, depth int) *summary {
	owner, i := r.owner(), r.index()
	if !r.leaf() {
		i += p.leaves
	}
	p.counts[depth*p.threads+owner]++
	return (*summary)(p.summaries[owner][i*summarySize:])
}

// below returns a cell's children in place.
func (p *inPlaceReader) below(r ref, depth int) *children {
	owner := r.owner()
	p.counts[depth*p.threads+owner]++
	p.opened[owner]++
	return childrenOf(p.links[owner][r.index()*childCount:])
}

func (p *inPlaceReader) summary(r ref, depth int) (*summary, error)   { return p.at(r, depth), nil }
func (p *inPlaceReader) children(r ref, depth int) (*children, error) { return p.below(r, depth), nil }

// flush adds the reads since its last call to the counts of a rank and to its traffic.
func (p *inPlaceReader) flush(to *reads, r *cluster.Rank) {
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
