package cluster

// Clock says what a fabric's time is.
type Clock uint8

// The clocks.
const (
	WallClock    Clock = iota // this host's own
	DilatedClock              // this host's, stretched so that it can keep a machine's times, and divided out again
	VirtualClock              // made of a machine's costs alone
)

var clockNames = [...]string{"wall", "dilated", "virtual"}

// String names the clock.
func (c Clock) String() string { return clockNames[c] }

// Virtual is a Run on a virtual clock: it can be held and paced from outside without
// changing what it comes to.
type Virtual interface {
	Run
	// SetPace says how many virtual seconds pass in a second of the wall clock; 0: as
	// many as can.
	SetPace(pace float64)
	// PauseAt stops the clock before the first look at or after a time; Resume lets it
	// go on, and so does a later PauseAt, until then.
	PauseAt(t Time)
	Resume()
	// Seen is how far the clock and the number of events had come when the run was last
	// looked at, which a call of States asks for. Any goroutine may ask.
	Seen() (Time, uint64)
	// Hash is over all events, Total the time at which the last rank ended, and Events
	// how many there were. Each waits for the end of the run.
	Hash() uint64
	Total() Time
	Events() uint64
}
