package sim

import "github.com/hybridtop/hybridtop/cluster"

// Clock is the thread's own time, for those who watch: unlike Now, looking costs
// nothing and changes nothing.
func (t *thread) Clock() cluster.Time { return t.now }

// Clock is that of whoever runs the step or the body.
func (i inside) Clock() cluster.Time { return i.t.now }
