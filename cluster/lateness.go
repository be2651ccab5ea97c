package cluster

// Lateness counts, since the launch, how well a host has kept up with an emulated machine.
type Lateness struct {
	Shortest int64 // wall ns of the machine's shortest time, after dilation
	Events   int64 // transfers that arrived, and computations that ended, on time or late
	Late     int64 // sum of their delays, wall ns
	Bodies   int64 // computations that have run
	Overruns int64 // computations that took longer than on the machine
	Took     int64 // time of the overruns, wall ns
	Modelled int64 // time of the overruns on the machine, wall ns
}

// Dilated is a run of an emulated machine. Its time is dilated so that the host keeps up.
type Dilated interface {
	Run
	// Lateness returns the counts so far. Any goroutine may call it.
	Lateness() Lateness
}

const (
	// fewEvents is the number of events up to which there is no verdict about the host.
	fewEvents = 100
	// latePart limits the mean delay to 1/latePart of the shortest modelled time.
	latePart = 10
	// overrunPart limits overruns to 1 + 1/overrunPart of all computations: one preempted computation
	// does not require a larger dilation.
	overrunPart = 50
)

// Proven reports whether there are enough samples for a verdict.
func (l Lateness) Proven() bool { return l.Events+l.Overruns > fewEvents }

// Mean returns the mean delay in wall ns.
func (l Lateness) Mean() float64 {
	if l.Events <= 0 {
		return 0
	}
	return float64(l.Late) / float64(l.Events)
}

// Slow reports whether more computations overran than chance explains.
func (l Lateness) Slow() bool { return l.Overruns > 1+l.Bodies/overrunPart }

// Excess returns the factor by which the dilation is too small. Above 1, the host cannot keep up.
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
