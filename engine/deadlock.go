package engine

import (
	"errors"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
)

// Deadlock is who waits for whom in a run that nothing can end.
type Deadlock struct {
	Waits  []Wait
	More   int    // waits that are left out
	Circle []int  // ranks that wait for each other, each for the next and the last for the first; nil: there is no circle
	Hint   string // what ends it; "": nothing in particular
}

// Wait is one thread of a rank that waits in a call.
type Wait struct {
	Rank, Thread int
	Call         string // "recv from 1 tag 7"
	Verb         string // the call alone: "recv"
	Peer, Tag    int    // of a message; −1: any, or it has none
	Bytes        int64  // of a send
	For          []int  // the ranks that could end it, or have to; nil: they are too many to list
	Any          bool   // any of them would do; else all are needed
}

// mostWaits bounds what a snapshot has of a deadlock.
const mostWaits = 1024

// DeadlockOf is the deadlock that a run has failed by; nil: by something else.
func DeadlockOf(err error) *Deadlock {
	var a *cluster.Abort
	if !errors.As(err, &a) || a.Reason != cluster.ReasonDeadlock {
		return nil
	}
	d := &Deadlock{Circle: circle(a.Waits), Hint: a.Hint()}
	for i := range a.Waits {
		w := &a.Waits[i]
		if i == mostWaits {
			d.More = len(a.Waits) - i
			break
		}
		d.Waits = append(d.Waits, Wait{w.Rank, w.Thread, w.Call, w.Kind.String(), w.Peer, w.Tag, w.Bytes, w.For, w.Any})
	}
	return d
}

// Next is the place of a rank in the circle, and the wait that leads from it to the next
// one; nil: the rank is not in it.
func (d *Deadlock) Next(rank int) (at int, w *Wait) {
	for i, r := range d.Circle {
		if r != rank {
			continue
		}
		to := d.Circle[(i+1)%len(d.Circle)]
		for k := range d.Waits {
			if w := &d.Waits[k]; w.Rank == rank {
				for _, f := range w.For {
					if f == to {
						return i, w
					}
				}
			}
		}
	}
	return -1, nil
}

func (d *Deadlock) fields(c *codec.Walk) {
	codec.List(c, &d.Waits, waits)
	codec.Integer(c, &d.More)
	codec.List(c, &d.Circle, indices)
	codec.Text(c, &d.Hint)
}

func (w *Wait) fields(c *codec.Walk) {
	codec.Integer(c, &w.Rank)
	codec.Integer(c, &w.Thread)
	codec.Text(c, &w.Call)
	codec.Text(c, &w.Verb)
	codec.Integer(c, &w.Peer)
	codec.Integer(c, &w.Tag)
	codec.Integer(c, &w.Bytes)
	codec.List(c, &w.For, indices)
	c.Flag(&w.Any)
}

// waits are a part of a list.
var waits = codec.PartOf((*Wait).fields)
