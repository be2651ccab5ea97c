package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/host"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// memory returns the bytes of host memory that all simultaneous runs may use, or 0 if unknown.
func (o *Options) memory() int64 {
	if o.Memory > 0 {
		return o.Memory
	}
	return host.Limit()
}

// Bytes that the session holds per rank (its probe, a batch of unrecorded values, its slot),
// in addition to three times the traffic by node, and per run. With a virtual clock all ranks share a
// batch.
const (
	probeBytes        = 8 << 10
	virtualProbeBytes = 1 << 10
	runBytes          = 8 << 20
)

// Bytes that a recorder holds per lane and per interval, including chunks that it dropped a moment
// ago, and upper bounds.
const (
	laneBytes        = 32 << 10
	intervalBytes    = 40
	maxTimelineBytes = 160 << 20
	maxStreamBytes   = 80 << 20
)

// onHost returns the spec of the ranks on this host. A job of several processes can have others.
func (s *setup) onHost() cluster.Spec {
	spec := s.spec
	if d, ok := s.fabric.(cluster.Distributed); ok {
		spec.Layout = d.OnHost(spec.Layout)
	}
	return spec
}

// memoryItems lists the memory of a spec's run.
func (s *setup) memoryItems(spec *cluster.Spec) []workload.Item {
	l := &spec.Layout
	probes := int64(probeBytes)
	if s.fabric.Clock(&s.spec.Machine) == cluster.VirtualClock {
		probes = virtualProbeBytes
	}
	blocks, _ := l.Blocks()
	probes += 3 * 8 * int64(blocks)
	items := append([]workload.Item{{Name: "segments", Per: workload.PerRank, Bytes: spec.Segment}}, s.plan.Items...)
	items = append(items,
		workload.Item{Name: "ranks", Per: workload.InAll, Bytes: s.fabric.Overhead(spec)},
		workload.Item{Name: "counters", Per: workload.PerRank, Bytes: probes},
		workload.Item{Name: "series", Per: workload.InAll, Bytes: runBytes})
	if s.scenario.Text("timeline") != "off" {
		if m := &s.spec.Machine; m.Device.Count > 0 || !m.Emulated { // otherwise a device is only a label
			items = append(items,
				workload.Item{Name: "timelines of streams", Per: workload.InAll,
					Bytes: min(maxStreamBytes, int64(l.Ranks())*cluster.Streams*laneBytes)})
		}
		items = append(items, workload.Item{Name: "timelines", Per: workload.InAll,
			Bytes: min(maxTimelineBytes, int64(l.Ranks())*int64(l.ThreadsPerRank)*laneBytes+64<<20)})
	}
	return items
}

// memory returns the bytes of this host's memory that the run uses. The processes of a job check it, and not their front.
func (s *setup) memory() float64 {
	if _, ok := s.fabric.(Relay); ok {
		return 0
	}
	sum := 0.0
	here := s.onHost()
	for _, i := range s.memoryItems(&here) {
		sum += i.All(&here.Layout)
	}
	return sum
}

// HostMemory returns the bytes of host memory that a run of a scenario needs, even if the host has less. It returns an
// error if the scenario cannot run for another reason.
func HostMemory(sc engine.Scenario, o Options) (float64, error) {
	set, err := o.plan(sc.Clone())
	if err != nil {
		return 0, err
	}
	return set.memory(), nil
}

// ProgramMemory returns the bytes per node that the program of a scenario uses on its machine: segments, arrays and
// message buffers. It counts them even if a simulation does not store them.
func ProgramMemory(sc engine.Scenario, o Options) (int64, error) {
	next := sc.Clone()
	if k, err := next.Knob("real-limit"); err == nil {
		if err := next.Set(k.Name, strconv.FormatFloat(k.Max, 'f', 0, 64)); err != nil {
			return 0, err
		}
	}
	set, err := o.plan(next)
	if err != nil {
		return 0, err
	}
	l := &set.spec.Layout
	all := float64(set.spec.Segment) * float64(l.Ranks())
	for _, i := range set.plan.Items {
		all += i.All(l)
	}
	return int64(all / float64(l.Nodes)), nil
}

// fitsMemory reports whether a run stays within a limit. A limit of 0 means unknown.
func (s *setup) fitsMemory(limit int64) bool { return limit == 0 || s.memory() <= float64(limit) }

// shortage is the error of a scenario that does not fit into memory.
type shortage struct {
	knob, value string // the knob to change; "": none
	need, limit float64
	largest     string
	fits        string // value of the knob that would fit; "": none
}

func (e *shortage) Error() string {
	s := fmt.Sprintf("needs %s of memory (%s), only %s available", cluster.SizeText(e.need), e.largest,
		cluster.SizeText(e.limit))
	if e.knob != "" {
		s = fmt.Sprintf("%s = %s: %s", e.knob, e.value, s)
	}
	if e.fits == "" {
		return s + " (use a smaller problem, larger groups or fewer ranks)"
	}
	return s + " (" + e.fits + " fits)"
}

// shownItems is the maximum number of items that an error names.
const shownItems = 3

// largest names the largest items.
func (s *setup) largest() string {
	here := s.onHost()
	items := s.memoryItems(&here)
	size := func(i workload.Item) float64 { return i.All(&here.Layout) }
	slices.SortStableFunc(items, func(a, b workload.Item) int { return cmp.Compare(size(b), size(a)) })
	var named []string
	for i, item := range items {
		if i > 0 && (i == shownItems || size(item) < 0.01*s.memory()) {
			break
		}
		named = append(named, item.Name+" "+cluster.SizeText(size(item)))
	}
	return strings.Join(named, ", ")
}

// shortageOf returns the error of a setup that does not fit. It names the knob that was changed, or
// else the first non-default knob that can help.
func (o *Options) shortageOf(set *setup, changed string, limit int64) error {
	e := &shortage{need: set.memory(), limit: float64(limit), largest: set.largest()}
	sc := &set.scenario
	for _, k := range sc.Table {
		nonDefault := changed == "" && sc.Text(k.Name) != k.Default
		if k.Name != changed && !nonDefault {
			continue
		}
		fits := o.nearestFit(sc, &k, limit)
		if fits == "" && k.Name != changed {
			continue
		}
		e.knob = k.Name
		e.value = sc.Text(k.Name)
		e.fits = fits
		break
	}
	return e
}

// nearestFit returns a value of a knob with which the scenario fits, close to the current value, or
// "" if there is none. For a number it prefers the next lower round one, for a choice the first
// that fits.
func (o *Options) nearestFit(sc *engine.Scenario, k *engine.Knob, limit int64) string {
	fitsWith := func(value string) bool {
		next := sc.Clone()
		if next.Set(k.Name, value) != nil {
			return false
		}
		set, err := o.plan(next)
		return err == nil && set.fitsMemory(limit)
	}
	now, err := strconv.ParseInt(sc.Text(k.Name), 10, 64)
	if err != nil {
		if i := slices.IndexFunc(k.Choices, fitsWith); i >= 0 {
			return k.Choices[i]
		}
		return ""
	}
	// Search for the largest value that fits, if all values below it fit, too, and prefer the
	// round value below it.
	low, high := int64(k.Min), now
	for low < high {
		if mid := low + (high-low+1)/2; fitsWith(strconv.FormatInt(mid, 10)) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	for _, v := range []int64{roundDown(low, k.Type == engine.Size), low} {
		if text := strconv.FormatInt(v, 10); fitsWith(text) {
			return text
		}
	}
	// The need may decrease as a number grows, and some numbers are invalid.
	best := ""
	for _, c := range k.Choices {
		v, err := strconv.ParseInt(c, 10, 64)
		if err != nil || !fitsWith(c) {
			continue
		}
		if b, err := strconv.ParseInt(best, 10, 64); err != nil || distance(v, now) < distance(b, now) {
			best = c
		}
	}
	return best
}

func distance(a, b int64) float64 { return math.Abs(float64(a) - float64(b)) }

// roundDown keeps two decimal digits of a number, or two binary digits of a size.
func roundDown(n int64, size bool) int64 {
	scale := int64(1)
	if size {
		for n/scale >= 4 {
			scale *= 2
		}
	} else {
		for n/scale >= 100 {
			scale *= 10
		}
	}
	return n / scale * scale
}
