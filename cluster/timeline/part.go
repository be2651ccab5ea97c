package timeline

import (
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
)

// Part is a named part of an iteration. It lasts from the start of its first rank to the end of its
// last rank.
type Part struct {
	Name       string
	Round      int // the iteration
	Row        int // its position among the parts of an iteration
	Begin, End cluster.Time
	Whole      bool // all ranks have ended it
}

// maxParts is the maximum number of recorded parts.
const maxParts = 256

// parts are the latest parts, in the order of their start.
type parts struct {
	mu   sync.Mutex // guards the following fields
	list []part
}

// part is a Part with the number of ranks that are in it.
type part struct {
	Part
	inside int
}

// of returns a part, or nil if no rank has started it.
func (p *parts) of(round, row int) *part {
	for i := len(p.list) - 1; i >= 0; i-- {
		if one := &p.list[i]; one.Round == round && one.Row == row {
			return one
		}
	}
	return nil
}

// Enter records that a rank starts a part of an iteration.
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

// Leave records that a rank ends a part that it has started.
func (r *Recorder) Leave(round, row int, at cluster.Time) {
	p := &r.parts
	p.mu.Lock()
	defer p.mu.Unlock()
	if one := p.of(round, row); one != nil {
		one.End = max(one.End, at)
		one.inside--
	}
}

// view returns a copy of the parts. A part is whole if a later one has started, because ranks
// synchronize between parts, or if the launch has ended.
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
