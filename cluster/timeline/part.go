package timeline

import (
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
)

// Part is a piece of an iteration that the program has a name for, from when the first
// rank begins it to when the last one ends it.
type Part struct {
	Name       string
	Round      int // the iteration
	Row        int // where it stands among the parts of an iteration
	Begin, End cluster.Time
	Whole      bool // all ranks have ended it
}

// maxParts is how many parts are kept.
const maxParts = 256

// parts are the latest ones, in the order in which they were begun.
type parts struct {
	mu   sync.Mutex // of what follows
	list []part
}

// part is one with the number of ranks that are in it.
type part struct {
	Part
	inside int
}

// of finds a part; nil: nobody has begun it.
func (p *parts) of(round, row int) *part {
	for i := len(p.list) - 1; i >= 0; i-- {
		if one := &p.list[i]; one.Round == round && one.Row == row {
			return one
		}
	}
	return nil
}

// Enter says that a rank begins a part of an iteration.
func (r *Recorder) Enter(round, row int, name string, at cluster.Time) {
	p := &r.parts
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.of(round, row)
	if one == nil {
		if len(p.list) == maxParts {
			p.list = append(p.list[:0], p.list[maxParts/2:]...)
		}
		p.list = append(p.list, part{Part: Part{Name: name, Round: round, Row: row, Begin: at, End: at}})
		one = &p.list[len(p.list)-1]
	}
	one.Begin = min(one.Begin, at)
	one.inside++
}

// Leave says that a rank ends a part that it has begun.
func (r *Recorder) Leave(round, row int, at cluster.Time) {
	p := &r.parts
	p.mu.Lock()
	defer p.mu.Unlock()
	if one := p.of(round, row); one != nil {
		one.End = max(one.End, at)
		one.inside--
	}
}

// view copies the parts. One is whole when a later one has begun, because ranks meet
// between them, or when the launch is over.
func (p *parts) view(closed bool) []Part {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) == 0 {
		return nil
	}
	all := make([]Part, len(p.list))
	for i := range p.list {
		all[i] = p.list[i].Part
		all[i].Whole = p.list[i].inside == 0 && (closed || i+1 < len(p.list))
	}
	return all
}

func (p *Part) fields(c *codec.Walk) {
	codec.Text(c, &p.Name)
	codec.Integer(c, &p.Round)
	codec.Integer(c, &p.Row)
	codec.Integer(c, &p.Begin)
	codec.Integer(c, &p.End)
	c.Flag(&p.Whole)
}

var partParts = codec.PartOf((*Part).fields)
