package sim

import "github.com/hybridtop/hybridtop/cluster"

// Clock returns a thread's virtual time. Unlike Now, it costs nothing.
func Clock(p cluster.Port) cluster.Time {
	if o, ok := p.(observed); ok {
		return o.now
	}
	return p.(*thread).now
}

// Paused reports whether the clock is paused.
func (r *Run) Paused() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paused
}
