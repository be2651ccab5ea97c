// Package host knows the machine that this process runs on, as far as whoever takes
// memory has to beforehand. There is one figure, [Limit], and whoever needs it asks here:
//
//	the session   before a scenario is launched, and by number
//	a sweep       for its points that run at once
//	a fabric      before it makes segments, with Check
package host
