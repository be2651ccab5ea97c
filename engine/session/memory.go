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

// memory is how many bytes of the host all runs at once may hold; 0: unknown.
func (o *Options) memory() int64 {
	if o.Memory > 0 {
		return o.Memory
	}
	return host.Limit()
}

// What the session keeps of a rank (its probe, a batch of what is not recorded yet, its
// place), beside traffic by node, three times; and what it keeps of a run.
const (
	probeBytes = 8 << 10
	runBytes   = 8 << 20
)

// What a recorder keeps of a lane and of a stretch, chunks that it dropped a moment ago
// included.
const (
	laneBytes    = 32 << 10
	stretchBytes = 40
	mostTimeline = 160 << 20
	mostStreams  = 80 << 20
)

// need is everything that a run takes of the host.
func (s *setup) need() []workload.Item {
	l := &s.spec.Layout
	probes := int64(probeBytes)
	blocks, _ := l.Blocks()
	probes += 3 * 8 * int64(blocks)
	items := append([]workload.Item{{Name: "segments", Per: workload.PerRank, Bytes: s.spec.Segment}}, s.plan.Holds...)
	items = append(items,
		workload.Item{Name: "ranks", Per: workload.InAll, Bytes: s.fabric.Overhead(&s.spec)},
		workload.Item{Name: "counters", Per: workload.PerRank, Bytes: probes},
		workload.Item{Name: "series", Per: workload.InAll, Bytes: runBytes})
	if s.scenario.Text("timeline") != "off" {
		if m := &s.spec.Machine; m.Device.Count > 0 || !m.Emulated { // or a device is a label
			items = append(items, workload.Item{Name: "timelines of streams", Per: workload.InAll, Bytes: min(mostStreams, int64(l.Ranks())*cluster.Streams*laneBytes)})
		}
		items = append(items, workload.Item{Name: "timelines", Per: workload.InAll,
			Bytes: min(mostTimeline, int64(l.Ranks())*int64(l.ThreadsPerRank)*laneBytes+64<<20)})
	}
	return items
}

// memory is what the whole run takes of the host, in bytes.
func (s *setup) memory() float64 {
	sum := 0.0
	for _, i := range s.need() {
		sum += i.All(&s.spec.Layout)
	}
	return sum
}

// fits says that a run stays within a limit; 0: unknown.
func (s *setup) fits(limit int64) bool { return limit == 0 || s.memory() <= float64(limit) }

// shortage is a scenario that does not fit into memory.
type shortage struct {
	knob, value string // that would have to be turned; "": there is none
	need, limit float64
	largest     string
	fits        string // value of the knob that would fit; "": none
}

func (e *shortage) Error() string {
	s := fmt.Sprintf("needs %s of memory (%s), only %s available", cluster.SizeText(e.need), e.largest, cluster.SizeText(e.limit))
	if e.knob != "" {
		s = fmt.Sprintf("%s = %s: %s", e.knob, e.value, s)
	}
	if e.fits == "" {
		return s + " (use a smaller problem, larger groups or fewer ranks)"
	}
	return s + " (" + e.fits + " fits)"
}

// shownItems is how many items of a need are named.
const shownItems = 3

// largest names what takes the most.
func (s *setup) largest() string {
	items := s.need()
	size := func(i workload.Item) float64 { return i.All(&s.spec.Layout) }
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

// short says why a setup does not fit, beside the knob that was turned, or that is the
// first of those off their defaults that help.
func (o *Options) short(set *setup, turned string, limit int64) error {
	e := &shortage{need: set.memory(), limit: float64(limit), largest: set.largest()}
	sc := &set.scenario
	for _, k := range sc.Table {
		own := turned == "" && sc.Text(k.Name) != k.Default
		if k.Name != turned && !own {
			continue
		}
		fits := o.nearest(sc, &k, limit)
		if fits == "" && k.Name != turned {
			continue
		}
		e.knob, e.value, e.fits = k.Name, sc.Text(k.Name), fits
		break
	}
	return e
}

// nearest is the value of a knob next to the one it has with which a scenario fits; "":
// there is none. Of numbers it is the next one below that is round; a choice's is the
// first that fits.
func (o *Options) nearest(sc *engine.Scenario, k *engine.Knob, limit int64) string {
	with := func(value string) bool {
		next := sc.Clone()
		if next.Set(k.Name, value) != nil {
			return false
		}
		set, err := o.plan(next)
		return err == nil && set.fits(limit)
	}
	now, err := strconv.ParseInt(sc.Text(k.Name), 10, 64)
	if err != nil {
		if i := slices.IndexFunc(k.Choices, with); i >= 0 {
			return k.Choices[i]
		}
		return ""
	}
	// The largest that fits, if all below it fit too, and the round one below that.
	low, high := int64(k.Min), now
	for low < high {
		if mid := low + (high-low+1)/2; with(strconv.FormatInt(mid, 10)) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	for _, v := range []int64{rounded(low, k.Type == engine.Size), low} {
		if text := strconv.FormatInt(v, 10); with(text) {
			return text
		}
	}
	// What a scenario needs may fall with a number, and not every number can be run.
	best := ""
	for _, c := range k.Choices {
		v, err := strconv.ParseInt(c, 10, 64)
		if err != nil || !with(c) {
			continue
		}
		if b, err := strconv.ParseInt(best, 10, 64); err != nil || distance(v, now) < distance(b, now) {
			best = c
		}
	}
	return best
}

func distance(a, b int64) float64 { return math.Abs(float64(a) - float64(b)) }

// rounded keeps two digits of a number, of a size two binary ones.
func rounded(n int64, size bool) int64 {
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
