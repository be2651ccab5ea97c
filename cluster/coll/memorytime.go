package coll

import "github.com/hybridtop/hybridtop/cluster"

// memoryEnd returns the end of an access of n bytes to a node's memory that takes at least minTime.
func (x *resources) memoryEnd(node int32, at cluster.Time, n int64, minTime cluster.Time) cluster.Time {
	if x.memory == 0 || n <= 0 {
		return at + minTime
	}
	return x.memories[node].Serve(at, x.memory.time(n), minTime)
}

// workEnd is memoryEnd for the work of a thread.
func (x *resources) workEnd(node int32, at cluster.Time, n int64, minTime cluster.Time) cluster.Time {
	if x.memory == 0 || n <= 0 {
		return at + minTime
	}
	return x.memories[node].Work(at, x.memory.time(n), minTime)
}
