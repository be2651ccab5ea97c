package cluster

// Lateness is how well a host has kept an emulated machine's time, in counts since the
// launch.
type Lateness struct {
	Shortest int64 // wall ns that the machine's shortest time is stretched to
	Events   int64 // transfers that arrived and computing that ended when it was due, or later
	Late     int64 // wall ns that they came late, summed
	Bodies   int64 // pieces of computing that have run
	Overruns int64 // of those, that took longer than the machine would
	Took     int64 // wall ns that the overruns took
	Modelled int64 // wall ns that the machine would have taken for them
}

// Dilated is a run of an emulated machine: its time is stretched so that the host can
// keep it.
type Dilated interface {
	Run
	// Lateness is how well the host has done so. Any goroutine may ask.
	Lateness() Lateness
}

const (
	// fewEvents tell nothing of the host: up to here it is not known to be late.
	fewEvents = 100
	// latePart of the shortest modelled time is how late things may happen on average:
	// one in so many.
	latePart = 10
	// overrunPart is one in how many bodies may take longer than modelled: a body that
	// was preempted once does not call for a larger dilation.
	overrunPart = 50
)

// Proven reports whether enough has happened for a verdict.
func (l Lateness) Proven() bool { return l.Events+l.Overruns > fewEvents }

// Mean is how late things happened on average, wall ns.
func (l Lateness) Mean() float64 {
	if l.Events <= 0 {
		return 0
	}
	return float64(l.Late) / float64(l.Events)
}

// Slow reports whether more of the computing took longer than modelled than chance does.
func (l Lateness) Slow() bool { return l.Overruns > 0 && l.Overruns > l.Bodies/overrunPart }

// Excess is the factor by which the dilation falls short: above 1 the host is late.
func (l Lateness) Excess() float64 {
	x := 0.0
	if l.Shortest > 0 {
		x = l.Mean() * latePart / float64(l.Shortest)
	}
	if l.Slow() && l.Modelled > 0 {
		x = max(x, float64(l.Took)/float64(l.Modelled))
	}
	return x
}
