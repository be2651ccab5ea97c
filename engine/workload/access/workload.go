package access

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&access) }

// Choices of the knobs.
const (
	allMethods = "all"
	write      = "write"
)

var access = workload.Workload{
	Name:  "access",
	Title: "Access to remote memory",
	Doc: "Rank 0 reads words of another rank's memory in each way of paper 2's table 2. " +
		"The ways are messages, MPI windows, pages, single words, prefetch and buffers. " +
		"Compare them with the table's formulas. Increase the stride to see what a page costs if few of its words " +
		"are needed, and the depth to see how prefetch hides the latency.",
	Paper: "paper 2, section 7.3, table 2",
	Knobs: []engine.Knob{
		{Name: "method", Label: "method", Doc: "way to the remote words, by name in table 2; all: each of them, one " +
			"after the other", Type: engine.Choice, Default: allMethods,
			Choices: append([]string{allMethods}, names...), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the bandwidth: a blocking word waits for a round trip, a buffer for one in total",
			Paper: "paper 2, table 2"},
		{Name: "direction", Label: "direction", Doc: "read the remote words, or write them", Type: engine.Choice,
			Default: "read", Choices: []string{"read", write}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "pages, which move twice: a changed page is fetched and written back", Paper: "paper 2, section 7.3"},
		{Name: "size", Label: "size", Doc: "requested bytes, rounded up to words of 8 bytes", Type: engine.Size, Unit: "B",
			Default: "10240", Min: 8, Max: 64 << 20,
			Choices: []string{"8", "128", "1024", "4096", "10240", "65536", "1048576"}, Scope: engine.ScopeBody,
			Role:  engine.Problem,
			Watch: "the bandwidth of messages and buffers, which grows with the size; that of words does not",
			Paper: "paper 2, table 2"},
		{Name: "stride", Label: "stride", Doc: "distance between two requested words, in words; 1: contiguous",
			Type: engine.Integer, Default: "1", Min: 1, Max: 65536,
			Choices: []string{"1", "4", "16", "64"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "pages: at a stride of 64 words, 8 of the 512 words of a page are used", Paper: "paper 2, table 2"},
		{Name: "page", Label: "page", Doc: "bytes of a page", Type: engine.Size, Unit: "B", Default: "4096", Min: 8,
			Max: 1 << 20, Choices: []string{"256", "1024", "4096", "65536"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the number of faults, which falls with the page size, and the unused bytes, which grow",
			Paper: "paper 2, table 2"},
		{Name: "depth", Label: "depth", Doc: "maximum number of prefetches in progress", Type: engine.Integer,
			Default: "16", Min: 1, Max: 4096, Choices: []string{"1", "4", "16", "64", "256"}, Scope: engine.ScopeBody,
			Role:  engine.Scheme,
			Watch: "the bandwidth of prefetch: it grows with the depth until overheads or the link limit it",
			Paper: "paper 2, section 7.3"},
		{Name: "line", Label: "line", Doc: "bytes of one prefetch of contiguous words; with a stride it is one word",
			Type: engine.Size, Unit: "B", Default: "64", Min: 8, Max: 1 << 20, Choices: []string{"8", "64", "256", "1024"},
			Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the overhead of prefetches, one per line", Paper: "paper 2, section 7.3"},
		{Name: "pair", Label: "owner", Doc: "location of the words: on rank 0's own node or on another node",
			Type: engine.Choice, Default: "remote", Choices: []string{"in-node", "remote"}, Scope: engine.ScopeBody,
			Role:  engine.Problem,
			Watch: "words and prefetch: inside a node a word is a load", Paper: "paper 2, section 7.3"},
	},
	Defaults: map[string]string{"model": "flat"},
	Question: "which way to remote memory is fastest?",
	First:    "method", Panes: []string{"locality", "latency"}, Serial: true, Steady: true, Idle: idle,
	Metrics:    metrics(),
	Derived:    derived(),
	Studies:    []*engine.Study{byMethod},
	Bars:       refusedChoices,
	Accesses:   true,
	Iterations: 5,
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// metrics returns the metrics of a run: the time of each method.
func metrics() []engine.MetricSpec {
	all := []engine.MetricSpec{{Name: "access_time", Phrase: "time of the access", Unit: "s", Always: true,
		Doc: "time until all requested words have moved, by the method; all: by the fastest one"}}
	for _, m := range methods {
		all = append(all, engine.MetricSpec{Name: m.metric("time"), Phrase: "time, " + m.name, Unit: "s",
			Doc: "time until all requested words have moved: " + m.doc})
	}
	return all
}

// derived returns the metrics that finish computes: the bandwidth of each method, and its formula.
func derived() []engine.MetricSpec {
	var all []engine.MetricSpec
	for _, m := range methods {
		all = append(all, engine.MetricSpec{Name: m.metric("bandwidth"), Phrase: "bandwidth, " + m.name, Unit: "B/s",
			Doc: "requested bytes / time: " + m.doc})
	}
	for _, m := range methods {
		all = append(all, engine.MetricSpec{Name: m.metric("formula"), Phrase: "formula, " + m.name, Unit: "B/s",
			Doc: "the bandwidth by table 2, with the machine's latency and bandwidth: " + m.doc})
	}
	return all
}

// wordSize is the number of bytes of a word.
const wordSize = 8

// A shape is the position of the requested words.
type shape struct{ words, stride, page int64 }

func shapeOf(knob func(string) int64) shape {
	return shape{words: (knob("size") + wordSize - 1) / wordSize, stride: knob("stride"),
		page: (knob("page") + wordSize - 1) / wordSize * wordSize}
}

// bytes returns the number of requested bytes.
func (s *shape) bytes() int64 { return wordSize * s.words }

// extent returns the bytes from the first word to the last, in whole pages.
func (s *shape) extent() int64 {
	n := wordSize * ((s.words-1)*s.stride + 1)
	return (n + s.page - 1) / s.page * s.page
}

// maxExtent is the maximum extent of the words.
const maxExtent = 1 << 30

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	c, err := castOf(&l, s.Text("pair"), s.Text("method"))
	if err != nil {
		return workload.Plan{}, err
	}
	at := shapeOf(s.Int)
	extent := at.extent()
	if extent > maxExtent {
		return workload.Plan{}, fmt.Errorf("size = %d with stride = %d: the words extend over %s, want at most %s (use a "+
			"smaller size or stride)", s.Int("size"), s.Int("stride"), cluster.SizeText(float64(extent)),
			cluster.SizeText(maxExtent))
	}
	const line = 64
	aligned := (extent + line - 1) / line * line
	p := workload.Plan{Items: []workload.Item{
		{Name: "requested words", Per: workload.InAll, Bytes: 2 * at.bytes()},
	}}
	var inFlight int64
	for _, m := range c.methods {
		switch m.name {
		case "one-sided":
			p.Segment += aligned + line // the window and its control block
		case "page":
			p.Items = append(p.Items, workload.Item{Name: "cached pages", Per: workload.InAll, Bytes: extent + extent/at.page})
			inFlight += workload.Copy(at.page)
		case "two-sided":
			inFlight += on.Eager(s, at.bytes())
		case "prefetch":
			p.Items = append(p.Items,
				workload.Item{Name: "prefetches", Per: workload.InAll, Bytes: requestBytes * s.Int("depth")})
			inFlight += s.Int("depth") * workload.Copy(max(s.Int("line"), wordSize))
		default:
			inFlight += workload.Copy(at.bytes())
		}
	}
	p.Segment += aligned
	p.Items = append(p.Items, workload.Item{Name: "words in flight", Per: workload.InAll, Bytes: inFlight})
	return p, nil
}

// requestBytes is the memory of a prefetch's two requests.
const requestBytes = 256

// refusedChoices returns the choices that cannot run with the present values of the other knobs.
func refusedChoices(s *engine.Scenario, _ *workload.Site) map[string]map[string]string {
	l := s.Layout()
	methods, pairs := map[string]string{}, map[string]string{}
	for _, name := range append([]string{allMethods}, names...) {
		if _, err := castOf(&l, s.Text("pair"), name); err != nil {
			methods[name] = err.Error()
		}
	}
	for pair := range classes {
		if _, err := castOf(&l, pair, s.Text("method")); err != nil {
			pairs[pair] = err.Error()
		}
	}
	return map[string]map[string]string{"method": methods, "pair": pairs}
}

func idle(s *engine.Scenario, _ engine.Kind, knob string) string {
	method := s.Text("method")
	uses := func(names ...string) bool { return method == allMethods || slices.Contains(names, method) }
	switch {
	case knob == "page" && !uses("page"):
		return "method = " + method + " moves no pages"
	case (knob == "depth" || knob == "line") && !uses("prefetch"):
		return "method = " + method + " has no prefetch"
	case knob == "line" && s.Int("stride") > 1:
		return "with a stride, a prefetch is one word"
	case knob == "world-seed":
		return "the owner is chosen by location, not by MPI rank"
	case !uses("page", "word", "prefetch", "buffering"):
		return workload.GroupIdle(s, knob)
	}
	return ""
}
