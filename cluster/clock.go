package cluster

// Clock is the kind of a fabric's time.
type Clock uint8

// The clocks.
const (
	WallClock    Clock = iota // time of this host
	DilatedClock              // time of this host divided by the time dilation
	VirtualClock              // computed only from a machine's costs
)

var clockNames = [...]string{"wall", "dilated", "virtual"}

// String returns the name of the clock.
func (c Clock) String() string { return clockNames[c] }

// Virtual is a Run on a virtual clock. It can be paused and paced from outside without changing its
// result.
type Virtual interface {
	Run
	// SetPace sets the number of virtual seconds per second of the wall clock; 0: unlimited.
	SetPace(pace float64)
	// PauseAt stops the clock at the first check at or after a time. Resume continues the run, and
	// so does a PauseAt with a later time.
	PauseAt(t Time)
	Resume()
	// Seen returns the clock and the number of events at the last check of the run. A call of
	// States requests a check. Any goroutine may call Seen.
	Seen() (Time, uint64)
	// Hash returns the hash of all events, Total the time at which the last rank ended, and Events
	// the number of events. Each waits for the end of the run.
	Hash() uint64
	Total() Time
	Events() uint64
}
