package sim

import "github.com/hybridtop/hybridtop/cluster"

// Clock returns the thread's time, for observers. Unlike Now, it costs nothing and changes nothing.
func (t *thread) Clock() cluster.Time { return t.now }

// Clock returns the time of the thread that runs the step or the body.
func (i inside) Clock() cluster.Time { return i.t.now }
