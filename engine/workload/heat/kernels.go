package heat

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Streams of a device: one for each face, as in the example, and one for the inner cells
// and the update.
const (
	bulk    = directions
	streams = directions + 1
)

// kernels holds the kernels in progress of a block on its device. Without a device they run on the
// processor's threads, each as soon as it is launched.
type kernels struct {
	on     *cluster.Rank
	loops  *workload.Loops
	device bool
	list   [streams]cluster.Request
}

// A kernel is a computation on a number of rows. body is nil if the block is size-only.
type kernel struct {
	rows  int
	body  func(thread, lo, hi int)
	whole func() // body on a device
}

// bodies are the computations of a block.
type bodies struct {
	pack                   [directions]kernel
	inner, surface, update kernel
}

// launch starts a kernel on a stream.
func (k *kernels) launch(stream int, w cluster.Work, what *kernel) error {
	if k.device {
		return k.on.Launch(&k.list[stream], stream, w, what.whole)
	}
	return k.loops.Run(what.rows, w, what.body)
}

// fence waits for the last kernel of a stream.
func (k *kernels) fence(stream int) error {
	_, err := k.on.Wait(&k.list[stream])
	return err
}

// fenceAll waits for the last kernel of each stream.
func (k *kernels) fenceAll() error {
	if !k.device {
		return nil
	}
	return k.on.Waitall(k.list[:], nil)
}

// surface computes the cells that need neighbours' faces. On a device it launches one kernel per
// side of the block, each with its edges, as in the example.
func (c *process) surface() error {
	if !c.device {
		return c.launch(bulk, surfaceWork(&c.b), &c.bodies.surface)
	}
	body := &c.bodies.surface // of all sides
	for d := range directions {
		if err := c.launch(d, sideWork(&c.b, d), body); err != nil {
			return err
		}
		body = &kernel{}
	}
	return nil
}
