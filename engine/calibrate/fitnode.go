package calibrate

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// inlineLimit is the length of the longest message that the live fabric carries in the cells of a
// ring.
const inlineLimit = 32

// inNode fits the messages between two ranks, by transfer path.
func (f *fitter) inNode() *cluster.Link {
	l := &f.machine.Classes[cluster.InNode]
	flood := f.line(trialFlood)
	sparse := f.line(trialSparse)
	spacing := f.line(trialSpacing)
	var cells, buffers, copies []Time // ping-pong, by path
	for _, t := range f.of(trialPingpong, 2) {
		switch {
		case t.X <= inlineLimit:
			cells = append(cells, t)
		case t.X <= float64(f.machine.EagerLimit):
			buffers = append(buffers, t)
		default:
			copies = append(copies, t)
		}
	}
	eager, long := f.exchanges(eagerSizes), f.exchanges(longSizes)
	if len(f.errs) == 0 {
		f.cells(l, flood, sparse, spacing, cells)
		f.buffers(l, buffers, eager)
	}
	if len(f.errs) == 0 {
		f.single(l, copies, long)
	}
	return l
}

// exchanges returns the time of one more message each way, by size.
func (f *fitter) exchanges(sizes []int) (ts []Time) {
	for _, n := range sizes {
		ts = append(ts, Time{Kind: trialExchange, X: float64(n), Seconds: f.line(exchangeOf(n)).slope})
	}
	return ts
}

// minLatency is the smallest latency that a machine file can have.
const minLatency = 1e-12

// cells fits messages whose bytes are in the cells of a ring.
func (f *fitter) cells(l *cluster.Link, flood, sparse, spacing slopeOf, trips []Time) {
	// With computing between two messages, no gap delays the second one. In a flood the larger of o
	// and g limits the rate, so o is at most that.
	o, g := sparse.slope-spacing.slope, flood.slope
	if o <= 0 || o > g {
		o = g
	}
	var terms []term
	for _, t := range trips {
		terms = append(terms, term{a: []float64{1}, constant: 2 * o, t: t.Seconds})
	}
	x, ok := solve(terms)
	if !ok {
		f.errs = append(f.errs, fmt.Errorf("%w: with an overhead of %.3g s ping-pong yields no positive latency of a "+
			"message in cells", ErrFit, o))
		return
	}
	latency := max(x[0], minLatency)
	l.Inline = cluster.Inline{Limit: inlineLimit, Latency: cluster.FromSeconds(latency),
		Overhead: cluster.FromSeconds(o), Gap: cluster.FromSeconds(g)}
	f.machine.Source["in_node.inline.limit_bytes"] = "the size of the cells in the live fabric's rings"
	f.record(Number{
		Key: "in_node.inline.overhead_s", Unit: "s", Value: o,
		To: "messages of 8 B each after some computing: extra time of one more message beyond the computing, at most " +
			"its time in a flood",
	}, sparse.times,
		func(t Time) float64 { return sparse.first + t.X*(spacing.slope+o) })
	f.record(Number{
		Key: "in_node.inline.latency_s", Unit: "s", Value: latency,
		To: fmt.Sprintf("ping-pong of up to %d B, 2o + L", inlineLimit),
	}, trips, func(Time) float64 { return 2*o + latency })
	to := "floods of messages of 8 B: time of one more message in a window"
	if g <= o {
		to += "; it is no longer than the overhead, and may be shorter"
	}
	f.record(Number{
		Key: "in_node.inline.gap_s", Unit: "s", Value: g,
		To: to,
	}, flood.times, func(t Time) float64 { return flood.first + t.X*g })
}

// buffers fits messages that are copied into a buffer and out of it. Their gap is the delay of
// one-way messages: receivers poll the cells of a queue while senders write the next ones.
func (f *fitter) buffers(l *cluster.Link, trips, exchanges []Time) {
	windows := make(map[string]slopeOf)
	bytes := make(map[string]float64)
	var terms []term
	for _, t := range trips {
		terms = append(terms, term{a: []float64{2, 1, 2 * t.X, 0}, t: t.Seconds})
	}
	for _, t := range exchanges {
		terms = append(terms, term{a: []float64{2, 0, 2 * t.X, 0}, t: t.Seconds})
	}
	var volleys []Time
	for _, n := range volleySizes {
		kind := volleyOf(n)
		windows[kind], bytes[kind] = f.line(kind), float64(n)
		volleys = append(volleys, windows[kind].times...)
		terms = append(terms, term{a: []float64{0, 0, float64(n), 1}, t: windows[kind].slope})
	}
	if len(f.errs) > 0 {
		return
	}
	x, ok := solve(terms)
	if !ok || x[2] == 0 {
		f.errs = append(f.errs, fmt.Errorf("%w: ping-pong, exchanges and windows yield no positive time per byte of an "+
			"eager message; measure again on a quieter host", ErrFit))
		return
	}
	o, latency, perByte, gap := x[0], max(x[1], minLatency), x[2], x[3]
	l.Overhead, l.Latency, l.Gap = cluster.FromSeconds(o), cluster.FromSeconds(latency), cluster.FromSeconds(gap)
	l.EagerCopy = round(1 / perByte)
	at := func(t Time) float64 {
		if w, isWindow := windows[t.Kind]; isWindow {
			return w.first + t.X*(gap+bytes[t.Kind]*perByte)
		}
		if t.Kind == trialExchange {
			return 2*o + 2*t.X*perByte
		}
		return 2*o + latency + 2*t.X*perByte
	}
	const to = "ping-pong, 2o + L + 2nC, exchanges, 2o + 2nC for one more each way, and windows, g + nC for one more, up " +
		"to the eager limit"
	both := slices.Concat(trips, exchanges)
	f.record(Number{Key: "in_node.overhead_s", Unit: "s", Value: o, To: to}, both, at)
	f.record(Number{Key: "in_node.latency_s", Unit: "s", Value: latency, To: to}, both, at)
	f.record(Number{
		Key: "in_node.eager_copy_rate_bytes_per_s", Unit: "B/s", Value: l.EagerCopy,
		To: to,
	}, slices.Concat(both, volleys), at)
	f.record(Number{
		Key: "in_node.gap_s", Unit: "s", Value: gap,
		To: "the same: windows of messages one way and then back",
	}, volleys, at)
}

// single fits the copy of a long message out of the sender's memory: the time per byte if the bytes
// are in the core's own cache, and the time for longer messages. Its other costs are those of eager
// messages.
func (f *fitter) single(l *cluster.Link, trips, exchanges []Time) {
	o, latency := l.Overhead.Seconds(), l.Latency.Seconds()
	fixed := func(t Time) float64 {
		if t.Kind == trialExchange {
			return 2 * o
		}
		return 2*o + latency
	}
	perByte := func(ts []Time) float64 {
		var terms []term
		for _, t := range ts {
			terms = append(terms, term{a: []float64{t.X}, constant: fixed(t), t: t.Seconds})
		}
		if x, ok := solve(terms); ok {
			return x[0]
		}
		return 0
	}
	// The switch is at the size where both lines together fit the times best.
	all := slices.Concat(trips, exchanges)
	least, limit := math.Inf(1), 0.0
	var near, far float64 // seconds per byte
	for i := len(trips) / 3; i < len(trips)-1; i++ {
		at := trips[i].X
		cached := slices.DeleteFunc(slices.Clone(all), func(t Time) bool { return t.X > at })
		beyond := slices.DeleteFunc(slices.Clone(all), func(t Time) bool { return t.X <= at })
		n, b := perByte(cached), perByte(beyond)
		sum := 0.0
		for _, t := range all {
			e := math.Log((fixed(t) + t.X*pick(t.X > at, b, n)) / t.Seconds)
			sum += e * e
		}
		if n > 0 && b > 0 && sum < least {
			least = sum
			limit = at
			near = n
			far = b
		}
	}
	if limit == 0 {
		f.errs = append(f.errs, fmt.Errorf("%w: overhead %.3g s and latency %.3g s: no positive time per byte of a long "+
			"message; measure again on a quieter host", ErrFit, o, latency))
		return
	}
	l.SingleCopy = round(1 / near)
	l.Uncached = cluster.Uncached{Limit: int64(limit), Copy: round(1 / far)}
	l.Bandwidth = l.SingleCopy
	at := func(t Time) float64 { return fixed(t) + t.X*pick(t.X > limit, far, near) }
	const to = "ping-pong, 2o + L + nD, and exchanges, 2o + nD for one more each way, above the eager limit"
	f.record(Number{
		Key: "in_node.single_copy_rate_bytes_per_s", Unit: "B/s", Value: l.SingleCopy,
		To: to,
	}, all, at)
	f.record(Number{
		Key: "in_node.uncached.limit_bytes", Unit: "B", Value: limit,
		To: "the same: the size from which on another rate is nearer to them",
	}, all, at)
	f.record(Number{
		Key: "in_node.uncached.copy_rate_bytes_per_s", Unit: "B/s", Value: l.Uncached.Copy,
		To: to + ", of longer ones",
	}, all, at)
	f.machine.Source["in_node.bandwidth_bytes_per_s"] = "derived from in_node.single_copy_rate_bytes_per_s: each " +
		"byte is copied once"
}

func pick(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}
