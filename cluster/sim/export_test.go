package sim

import "github.com/hybridtop/hybridtop/cluster"

// Clock is a thread's own virtual time. Unlike Now, looking at it costs nothing.
func Clock(p cluster.Port) cluster.Time { return p.(*thread).now }

// Paused reports whether the clock stands.
func (r *Run) Paused() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paused
}
