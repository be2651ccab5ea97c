package sim_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// TestTimelines runs small programs and prints the virtual end time of each call, in nanoseconds
// with three places. The programs contain LogGP's formulas for some times, which must hold exactly.
//
//	machine [o=300ns L=1us g=100ns G=250ps ..]   costs, see costs below
//	run nodes=n [ranks=n] [quiet]                lines of calls, see below
//
// A line of a program is "rank: call; call; ..", or "rank/thread: .." in a parallel
// region. A call is one of those in step, "3x" before one repeats it. A line
// "expect rank[/thread][@k]: formula" is about the end of its last call, or of its
// k-th; formulas have the names of the costs. quiet prints no timeline.
func TestTimelines(t *testing.T) {
	datadriven.Walk(t, "testdata/timelines", func(t *testing.T, path string) {
		var m cluster.Machine
		var names map[string]cluster.Time
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "machine":
				m, names = costs(t, d)
				return ""
			case "run":
				return story(t, d, m, names)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

// span reads a time such as 300ns, 250ps or 1us.
func span(t *testing.T, s string) cluster.Time {
	t.Helper()
	for _, u := range []struct {
		name string
		unit cluster.Time
	}{{"ps", cluster.Picosecond}, {"ns", cluster.Nanosecond}, {"us", cluster.Microsecond}} {
		if number, ok := strings.CutSuffix(s, u.name); ok {
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return cluster.Time(n) * u.unit
		}
	}
	t.Fatalf("%q: want a time in ps, ns or us", s)
	return 0
}

// perSecond returns the rate for a time per piece.
func perSecond(piece cluster.Time) float64 {
	if piece == 0 {
		return 0
	}
	return float64(cluster.Second / piece)
}

// costs reads a machine. A flop takes a nanosecond; names of times, a byte where it
// is a rate:
//
//	o L g G      between nodes: overhead, latency, gap, a byte
//	T TR         a byte that one thread injects, that it takes in
//	o1 L1 G1     inside a node
//	oS LS GS     inside a socket
//	L0 G0        inside a rank
//	M N          a byte of memory, of one thread and of a whole node
//	A H P        an atomic, an RPC's start, a poll
//	K hop        a byte over a link, a link after the first
//	X0 X1 XS     a load or store inside a rank, a node, a socket
//	D GD         a copy between a device's memory and the host's: its start, a byte
//	C            the library's lock, for each further thread
//	W            a look at the clock; left out: P
//	O            a byte copied into an eager buffer, or out of it
//	oI LI gI     of a message inside a node of up to inline=n bytes
//	O1 U1 V1     a byte inside a node: of an eager message's copies, of a rendezvous' one,
//	             of a load beyond its line; UC of a rendezvous of more than cached=n bytes
//	h            gap of a handshake
//	S R Q        of the server of a node's messages: one that leaves, one that comes
//	             in, one without the program's bytes
//
// sockets=n and cores=n are of a node; device=staged or device=direct says how adapters reach
// device memory; slow=(node,adapter,factor) slows an adapter, or the node's
// processors where the adapter is -1.
func costs(t *testing.T, d *datadriven.TestData) (cluster.Machine, map[string]cluster.Time) {
	c := map[string]cluster.Time{}
	for _, name := range strings.Fields("o L g G T o1 L1 g1 G1 oI LI gI O1 U1 UC V1 oS LS GS L0 G0 X0 X1 XS M N A H " +
		"P K hop D GD C h S R Q O W TR") {
		c[name] = 0
	}
	m := cluster.Machine{Name: "tested", Progress: cluster.ProgressCall, Flops: 1e9}
	adapters := 1
	inline := int64(0)
	cached := int64(0)
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "progress":
			m.Progress = cluster.Progress(arg.Vals[0])
		case "adapters":
			arg.Scan(t, 0, &adapters)
		case "eager":
			arg.Scan(t, 0, &m.EagerLimit)
		case "inline":
			arg.Scan(t, 0, &inline)
		case "cached":
			arg.Scan(t, 0, &cached)
		case "cores":
			arg.Scan(t, 0, &m.CoresPerNode)
		case "sockets":
			arg.Scan(t, 0, &m.Sockets)
		case "device":
			m.Device.Count, m.Device.Direct = 1, arg.Vals[0] == "direct"
		case "slow":
			var s cluster.Slow
			arg.Scan(t, 0, &s.Node)
			arg.Scan(t, 1, &s.Adapter)
			x, err := strconv.ParseFloat(arg.Vals[2], 64)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			s.Factor = x
			m.Slow = append(m.Slow, s)
		case "shape":
			m.Topology.Shape = cluster.Shape(arg.Vals[0])
		case "dims":
			for i := range arg.Vals {
				var n int
				arg.Scan(t, i, &n)
				m.Topology.Dims = append(m.Topology.Dims, n)
			}
		case "taper":
			for _, v := range arg.Vals {
				x, err := strconv.ParseFloat(v, 64)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				m.Topology.Taper = append(m.Topology.Taper, x)
			}
		default:
			if _, ok := c[arg.Key]; !ok {
				d.Fatalf(t, "unknown cost %s", arg.Key)
			}
			c[arg.Key] = span(t, arg.Vals[0])
		}
	}
	m.Classes = [cluster.Classes]cluster.Link{
		cluster.InRank: {Latency: c["L0"], Access: c["X0"], Bandwidth: perSecond(c["G0"])},
		cluster.InNode: {Latency: c["L1"], Access: c["X1"], Overhead: c["o1"], Gap: c["g1"], Bandwidth: perSecond(c["G1"]),
			EagerCopy: perSecond(c["O1"]), SingleCopy: perSecond(c["U1"]), AccessRate: perSecond(c["V1"])},
		cluster.Remote: {Latency: c["L"], Overhead: c["o"], Gap: c["g"], Bandwidth: perSecond(c["G"]), Adapters: adapters,
			ThreadRate: perSecond(c["T"]), HandshakeGap: c["h"], ReceiveRate: perSecond(c["TR"])},
	}
	if inline > 0 {
		m.Classes[cluster.InNode].Inline = cluster.Inline{Limit: inline, Latency: c["LI"], Overhead: c["oI"], Gap: c["gI"]}
	}
	if cached > 0 {
		m.Classes[cluster.InNode].Uncached = cluster.Uncached{Limit: cached, Copy: perSecond(c["UC"])}
	}
	m.Socket = cluster.Link{Latency: c["LS"], Access: c["XS"], Overhead: c["oS"], Bandwidth: perSecond(c["GS"])}
	m.Device.Link = cluster.Link{Latency: c["D"], Bandwidth: perSecond(c["GD"])}
	m.LockTime = c["C"]
	m.CopyRate = perSecond(c["O"])
	if clock := c["W"]; d.HasArg("W") {
		m.ClockTime = &clock
	}
	m.Server = cluster.Server{Send: c["S"], Receive: c["R"], Handshake: c["Q"]}
	m.MemoryRate, m.NodeRate = perSecond(c["M"]), perSecond(c["N"])
	m.AtomicTime = c["A"]
	m.HandlerTime = c["H"]
	m.PollTime = c["P"]
	m.Topology.LinkBandwidth, m.Topology.HopLatency = perSecond(c["K"]), c["hop"]
	return m, c
}

// simulate runs a program to its end, with or without success.
func simulate(t testing.TB, f *sim.Fabric, spec cluster.Spec, body func(*cluster.Rank) error) (*sim.Run, error) {
	t.Helper()
	run, err := clustertest.Start(t, f, spec, body)
	if run == nil {
		return nil, err
	}
	return run.(*sim.Run), err
}

// simulated is simulate for a program that must succeed.
func simulated(t testing.TB, spec cluster.Spec, body func(*cluster.Rank) error) *sim.Run {
	t.Helper()
	run, err := simulate(t, sim.New(), spec, body)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// who identifies a thread of a rank.
type who struct{ rank, thread int }

func (w who) String() string {
	if w.thread == 0 {
		return strconv.Itoa(w.rank)
	}
	return fmt.Sprintf("%d/%d", w.rank, w.thread)
}

func whoOf(t *testing.T, s string) (w who) {
	t.Helper()
	rank, thread, forked := strings.Cut(s, "/")
	var err error
	w.rank, err = strconv.Atoi(rank)
	if err == nil && forked {
		w.thread, err = strconv.Atoi(thread)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// callEnd is the end of a call.
type callEnd struct {
	at   cluster.Time
	who  who
	what string
}

// nanoseconds formats a time to the picosecond.
func nanoseconds(t cluster.Time) string { return fmt.Sprintf("%d.%03d ns", t/1000, t%1000) }

// story runs a program, prints its timeline and compares it with its formulas.
func story(t *testing.T, d *datadriven.TestData, m cluster.Machine, names map[string]cluster.Time) string {
	nodes, perNode := 2, 1
	for name, n := range map[string]*int{"nodes": &nodes, "ranks": &perNode} {
		if d.HasArg(name) {
			d.ScanArgs(t, name, n)
		}
	}
	calls := map[who][]string{}
	threads := map[int]int{}
	var expects []string
	for _, line := range strings.Split(d.Input, "\n") {
		head, rest, ok := strings.Cut(line, ":")
		if !ok {
			d.Fatalf(t, "%q: want who: calls", line)
		}
		if strings.HasPrefix(head, "expect ") {
			expects = append(expects, line)
			continue
		}
		w := whoOf(t, head)
		threads[w.rank] = max(threads[w.rank], w.thread+1)
		for _, call := range strings.Split(rest, ";") {
			times, c := 1, strings.TrimSpace(call)
			if n, again, ok := strings.Cut(c, "x "); ok {
				if k, err := strconv.Atoi(n); err == nil {
					times, c = k, again
				}
			}
			for range times {
				calls[w] = append(calls[w], c)
			}
		}
	}
	spec := clustertest.Spec(m, nodes, perNode)
	var calledEnds []callEnd // written by one rank at a time
	ends := map[who][]cluster.Time{}
	_, err := simulate(t, sim.New(), spec, func(r *cluster.Rank) error {
		fn := r.Register(func(c cluster.RPC) uint64 { return 7 })
		part := func(r *cluster.Rank, thread int) error {
			w := who{rank: r.ID(), thread: thread}
			a := &actor{Rank: r, fn: fn}
			for _, c := range calls[w] {
				if err := a.step(t, c); err != nil {
					return err
				}
				now := sim.Clock(r.Lib().Port())
				calledEnds = append(calledEnds, callEnd{at: now, who: w, what: c})
				ends[w] = append(ends[w], now)
			}
			return nil
		}
		if n := threads[r.ID()]; n > 1 {
			return r.Fork(n, func(t *cluster.Thread) error { return part(&t.Rank, t.Number()) })
		}
		return part(r, 0)
	})
	var out strings.Builder
	if err != nil {
		if len(expects) > 0 {
			t.Errorf("%s: %v", d.Pos, err)
		}
		return "error: " + err.Error()
	}
	if !d.HasArg("quiet") {
		slices.SortStableFunc(calledEnds, func(a, b callEnd) int {
			return cmp.Or(cmp.Compare(a.at, b.at), a.who.rank-b.who.rank, a.who.thread-b.who.thread)
		})
		for _, k := range calledEnds {
			fmt.Fprintf(&out, "%15s  %-3s  %s\n", nanoseconds(k.at), k.who, k.what)
		}
	}
	for _, line := range expects {
		head, formula, _ := strings.Cut(strings.TrimPrefix(line, "expect "), ":")
		name, number, indexed := strings.Cut(head, "@")
		list := ends[whoOf(t, name)]
		k := len(list)
		if indexed {
			k, err = strconv.Atoi(number)
			if err != nil || k < 1 || k > len(list) {
				d.Fatalf(t, "%s: no such call", head)
			}
		}
		want, err := evaluate(formula, names)
		if err != nil {
			d.Fatalf(t, "%s: %v", formula, err)
		}
		formula = strings.TrimSpace(formula)
		if got := list[k-1]; got != want {
			t.Errorf("%s: %s at %s, want %s = %s", d.Pos, head, nanoseconds(got), formula, nanoseconds(want))
			fmt.Fprintf(&out, "%s: %s is not %s\n", head, nanoseconds(got), formula)
			continue
		}
		fmt.Fprintf(&out, "%s: %s = %s\n", head, nanoseconds(want), formula)
	}
	return out.String()
}
