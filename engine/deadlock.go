package engine

import (
	"errors"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
)

// A Deadlock is the wait-for graph of a run that cannot continue.
type Deadlock struct {
	Waits []Wait
	More  int    // number of waits that are left out
	Cycle []int  // cycle of ranks: each waits for the next, and the last for the first; nil: no cycle
	Hint  string // advice that avoids it; "": none
}

// A Wait is one thread of a rank that waits in a call.
type Wait struct {
	Rank, Thread int
	Call         string // "recv from 1 tag 7"
	Verb         string // the call alone: "recv"
	Peer, Tag    int    // of a message; −1: any, or none
	Bytes        int64  // of a send
	For          []int  // the ranks that could or must end it; nil: too many to list
	Any          bool   // one of them is enough; otherwise all are needed
}

// maxWaits is the maximum number of waits of a deadlock in a snapshot.
const maxWaits = 1024

// DeadlockOf returns the deadlock that caused err, or nil if err has another cause.
func DeadlockOf(err error) *Deadlock {
	var a *cluster.Abort
	if !errors.As(err, &a) || a.Reason != cluster.ReasonDeadlock {
		return nil
	}
	d := &Deadlock{Cycle: circle(a.Waits), Hint: a.Hint()}
	for i := range a.Waits {
		w := &a.Waits[i]
		if i == maxWaits {
			d.More = len(a.Waits) - i
			break
		}
		d.Waits = append(d.Waits, Wait{
			Rank:   w.Rank,
			Thread: w.Thread,
			Call:   w.Call,
			Verb:   w.Kind.String(),
			Peer:   w.Peer,
			Tag:    w.Tag,
			Bytes:  w.Bytes,
			For:    w.For,
			Any:    w.Any,
		})
	}
	return d
}

// Next returns the position of a rank in the cycle, and its wait for the next rank. It returns
// −1 and nil if the rank is not in the cycle.
func (d *Deadlock) Next(rank int) (at int, w *Wait) {
	for i, r := range d.Cycle {
		if r != rank {
			continue
		}
		to := d.Cycle[(i+1)%len(d.Cycle)]
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
	codec.List(c, &d.Cycle, indices)
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

// waits encodes the elements of a list of waits.
var waits = codec.PartOf((*Wait).fields)
