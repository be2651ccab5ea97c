package goal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/goal"
)

// published has the costs of a published comparison: L 2500, o 1500, g 1000 ns and G 6 ns per byte.
var published = coll.Cost{L: 2500 * ns, O: 1500 * ns, Gap: 1000 * ns, G: 6 * ns}

// The GOAL text of a schedule has the price of the schedule.
func TestTextHasThePriceOfItsSchedule(t *testing.T) {
	for _, a := range coll.All() {
		for _, p := range []int{1, 2, 5, 8, 12, 16} {
			for _, k := range keys(a, p) {
				if a.Needs&(coll.Reach|coll.Network) != 0 {
					if err := goal.Write(io.Discard, k, 0, k.Blocks(8, 1), published); err == nil ||
						!strings.Contains(err.Error(), "cannot export to GOAL: the algorithm ") {
						t.Errorf("%s by %s, which has no messages: %v", a.Collective, a.Name, err)
					}
					continue
				}
				blocks := k.Blocks(4096, 1)
				want, err := coll.Price(k, 0, blocks, published)
				if err != nil {
					t.Fatal(err)
				}
				var text bytes.Buffer
				if err := goal.Write(&text, k, 0, blocks, published); err != nil {
					t.Fatal(err)
				}
				g, err := goal.Load(iotest.OneByteReader(&text), 1<<20)
				if err != nil {
					t.Fatalf("%s by %s: %v", a.Collective, a.Name, err)
				}
				got, err := g.Price(published)
				if err != nil {
					t.Fatalf("%s by %s: %v", a.Collective, a.Name, err)
				}
				if got.Last() != want.Last() || len(got.Messages) != len(want.Messages) || got.Unreceived != 0 {
					t.Errorf("%s by %s, ranks %d: as GOAL it takes %s and %d messages, %d left; want %s and %d", a.Collective,
						a.Name, p,
						got.Last(), len(got.Messages), got.Unreceived, want.Last(), len(want.Messages))
				}
			}
		}
	}
}

// keys returns an algorithm's keys with several radices, segments and places.
func keys(a *coll.Algorithm, ranks int) (all []coll.Key) {
	radices := []int{0}
	segments := []int{0}
	places := []coll.Places{{}}
	if a.Radix != 0 {
		radices = []int{int(a.Radix), 3, 4, 8, 257}
		if a.MinRadix == 1 {
			radices = append(radices, 1)
		}
	}
	if a.Segmented {
		segments = append(segments, 2, 5)
	}
	if a.UsesPlaces {
		places = append(places, coll.Places{Per: 3}, coll.Places{Per: 4}, coll.Places{Places: 3})
	}
	for _, r := range radices {
		for _, s := range segments {
			for _, at := range places {
				if k, err := a.Key(coll.Parameters{Ranks: ranks, Radix: r, Segments: s, Places: at}); err == nil {
					all = append(all, k)
				}
			}
		}
	}
	return all
}

// Patterns written as GOAL end at LogGP's closed forms.
func TestClosedForms(t *testing.T) {
	const size = 1024
	carry := cluster.Time(size-1) * 6 * ns
	hop := 2*1500*ns + 2500*ns + carry
	for _, c := range []struct {
		what string
		text string
		want cluster.Time
	}{
		{"binomial broadcast of 64", scheduleText(t, coll.OpBcast, "knomial", 64, size), 6 * hop},
		{"dissemination of 64", dissemination(64, size), 6 * hop},
		{"linear all-to-all of 64", scheduleText(t, coll.OpExchange, "flat", 64, size),
			62*(1000*ns+carry) + 2*1500*ns + 2500*ns + carry},
		{"halo of 4 × 4 × 4", halos(4, size), 5*(1000*ns+carry) + 2*1500*ns + 2500*ns + carry},
	} {
		g, err := goal.Load(strings.NewReader(c.text), 1<<20)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		tr, err := g.Price(published)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if tr.Last() != c.want {
			t.Errorf("%s takes %d ps, want %d", c.what, tr.Last(), c.want)
		}
	}
}

func scheduleText(t *testing.T, c coll.Collective, name string, ranks int, size int64) string {
	a, err := coll.Find(c, name)
	if err != nil {
		t.Fatal(err)
	}
	k, err := a.Key(coll.Parameters{Ranks: ranks})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := goal.Write(&b, k, 0, k.Blocks(size, 1), coll.Cost{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func halos(side, size int) string {
	n := side * side * side
	var b strings.Builder
	fmt.Fprintf(&b, "num_ranks %d\n", n)
	for r := range n {
		fmt.Fprintf(&b, "rank %d {\n", r)
		tag := 0
		for stride := 1; stride < n; stride *= side {
			at := r / stride % side
			up, down := r+((at+1)%side-at)*stride, r+((at+side-1)%side-at)*stride
			fmt.Fprintf(&b, "send %db to %d tag %d\nsend %db to %d tag %d\n", size, up, tag, size, down, tag+1)
			fmt.Fprintf(&b, "recv %db from %d tag %d\nrecv %db from %d tag %d\n", size, down, tag, size, up, tag+1)
			tag += 2
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// Comments, wildcards, cpu, nic and irequires are read.
func TestText(t *testing.T) {
	const text = `// two ranks
num_ranks 2
rank 1 { /* in any
order */
  a: recv 8b from -1 tag -1 cpu 1 nic 2
  calc 100 cpu 3
  b : recv 16b from 0
  b irequires a
}
rank 0 {
	l1: send 16b to 1
	l2: send 8b to 1 tag 7
	l2 requires l1 }
`
	var log []string
	if err := goal.Read(iotest.HalfReader(strings.NewReader(text)), &logged{log: &log}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"2 ranks", "rank 1", "{Kind:1 CPU:1 NIC:2 Peer:-1 Tag:-1 Size:8}", "{Kind:2 CPU:3 NIC:0 Peer:0 Tag:0 Size:100}",
		"{Kind:1 CPU:0 NIC:0 Peer:0 Tag:0 Size:16}", "2 requires 0, started true",
		"rank 0", "{Kind:0 CPU:0 NIC:0 Peer:1 Tag:0 Size:16}", "{Kind:0 CPU:0 NIC:0 Peer:1 Tag:7 Size:8}",
		"1 requires 0, started false",
	}
	if got, want := strings.Join(log, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
	g, err := goal.Load(strings.NewReader(text), 100)
	if err != nil {
		t.Fatal(err)
	}
	// The receive from any, which is posted first, takes the first message; the second
	// has a tag that the other receive does not take.
	if _, err := g.Price(published); err == nil ||
		err.Error() != "deadlock: 1 operations left; rank 1 waits for rank 0 with tag 0" {
		t.Error(err)
	}
}

type logged struct{ log *[]string }

func (l *logged) add(format string, args ...any) error {
	*l.log = append(*l.log, fmt.Sprintf(format, args...))
	return nil
}
func (l *logged) Ranks(n int32) error { return l.add("%d ranks", n) }
func (l *logged) Rank(r int32) error  { return l.add("rank %d", r) }
func (l *logged) Op(o goal.Op) error  { return l.add("%+v", o) }
func (l *logged) Requires(op, before int32, started bool) error {
	return l.add("%d requires %d, started %v", op, before, started)
}

// An error has the line and the column.
func TestRefusals(t *testing.T) {
	long := strings.Repeat("x", goal.MaxLabel+1)
	for _, c := range []struct{ text, want string }{
		{"", "line 1, column 1: want num_ranks, got the end of the file"},
		{"rank 0 {", "line 1, column 1: want num_ranks first"},
		{"num_ranks 0", "line 1, column 11: no ranks"},
		{"num_ranks 99999999999999999999", "line 1, column 11: a number of ranks beyond 1048576"},
		{"num_ranks 2\nrank 2 {", "line 2, column 6: a rank beyond 1"},
		{"num_ranks 2\nrank 0 {\n}\nrank 0 {\n}", "line 4, column 6: rank 0 a second time"},
		{"num_ranks 2\nrank 0 {\n", "line 3, column 1: want an operation, a label or }, got the end of the file"},
		{"num_ranks 2\nrank 0 {\n  send 8 to 1\n}", "line 3, column 9: want b for bytes, got ' '"},
		{"num_ranks 2\nrank 0 {\n  send 8b from 1\n}", "line 3, column 11: want to"},
		{"num_ranks 2\nrank 0 {\n  send 8b to -1\n}", "line 3, column 14: want a rank, got '-'"},
		{"num_ranks 2\nrank 0 {\n  recv 8b from -2\n}", "line 3, column 17: want a rank, or -1 for any, got '2'"},
		{"num_ranks 2\nrank 0 {\n  send 8b to 1 tag 1 tag 2\n}",
			"line 3, column 22: want tag, cpu and nic at most once and in this order, of a calculation cpu alone"},
		{"num_ranks 2\nrank 0 {\n  calc 5 tag 2\n}",
			"line 3, column 10: want tag, cpu and nic at most once and in this order, of a calculation cpu alone"},
		{"num_ranks 2\nrank 0 {\n  send 9999999999999b to 1\n}", "line 3, column 8: a size beyond 1099511627776"},
		{"num_ranks 2\nrank 0 {\n  send 8b to 1 tag 1073741824\n}", "line 3, column 20: a tag beyond 1073741823"},
		{"num_ranks 2\nrank 0 {\n  l1: calc 1\n  l1: calc 1\n}", "line 4, column 3: label l1 a second time"},
		{"num_ranks 2\nrank 0 {\n  a: calc 1\n  a: calc 1\n}", "line 4, column 3: label a a second time"},
		{"num_ranks 2\nrank 0 {\n  l1: calc 1\n  l1 requires l2\n}", "line 4, column 15: label l2 is not defined before"},
		{"num_ranks 2\nrank 0 {\n  l1: calc 1\n  l1 requires l1\n}", "line 4, column 15: l1 requires itself"},
		{"num_ranks 2\nrank 0 {\n  l1: calc 1\n  l1 follows l1\n}", "line 4, column 6: want a colon, requires or irequires"},
		{"num_ranks 2\nrank 0 {\n  l1: l2\n}", "line 3, column 7: want send, recv or calc"},
		{"num_ranks 2\nrank 0 {\n  calc 1 2\n}", "line 3, column 10: want the end of the line, got '2'"},
		{"num_ranks 2\nrank 0 {\n  " + long + ": calc 1\n}", "line 3, column 3: a label of more than 64 bytes"},
		{"num_ranks 2\nrank 0 {\n /* never ends", "line 3, column 2: unterminated comment"},
		{"num_ranks 2\nrank 0 {\n \x01", "line 3, column 2: want an operation, a label or }, got byte 0x01"},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
			var log []string
			if err := goal.Read(r, &logged{log: &log}); err == nil || err.Error() != c.want {
				t.Errorf("%q: %v, want %s", c.text, err, c.want)
			}
		}
	}
	broken := errors.New("a broken disk")
	var log []string
	if err := goal.Read(io.MultiReader(strings.NewReader("num_ranks 2\n"), iotest.ErrReader(broken)),
		&logged{log: &log}); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := goal.Load(strings.NewReader("num_ranks 1\nrank 0 {\ncalc 1\ncalc 1\n}"), 1); err == nil ||
		err.Error() != "line 4, column 7: more operations than are kept at once" {
		t.Error(err)
	}
}

// The error about a program that cannot end names the waiting ranks.
func TestDeadlock(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"num_ranks 2\nrank 0 {\nl1: recv 8b from 1\nl2: send 8b to 1\nl2 requires l1\n}\nrank 1 {\nl1: recv 8b from " +
			"0\nl2: send 8b to 0\nl2 requires l1\n}",
			"deadlock: 4 operations left; rank 0 waits for rank 1 with tag 0; rank 1 waits for rank 0 with tag 0"},
		{"num_ranks 1\nrank 0 {\nl1: calc 1\nl2: calc 1\nl1 requires l2\nl2 requires l1\n}",
			"deadlock: 2 operations left, which depend on each other"},
		{"num_ranks 1\nrank 0 {\nrecv 1b from -1 tag 3\n}",
			"deadlock: 1 operations left; rank 0 waits for any rank with tag 3"},
	} {
		g, err := goal.Load(strings.NewReader(c.text), 100)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Price(published); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// Any text is read or refused, at once and byte by byte with the same result. A program is
// priced or refused.
func FuzzRead(f *testing.F) {
	f.Add("num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 3 cpu 1 nic 2\n}\nrank 1 {\na: recv 8b from -1 tag -1\nb: " +
		"calc 5\nb irequires a // x\n}")
	f.Add("num_ranks 1 rank 0 {l1: calc 1\nl2: calc 2\nl2 requires l1 /* y */ }")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := goal.Load(strings.NewReader(text), 10_000)
		if slow, again := goal.Load(iotest.OneByteReader(strings.NewReader(text)), 10_000); (err == nil) !=
			(again == nil) || err != nil && err.Error() != again.Error() {
			t.Fatalf("read at once: %v; byte by byte: %v, %v", err, again, slow)
		}
		if err != nil {
			return
		}
		tr, err := g.Price(published)
		if err == nil && len(tr.Messages) != g.Messages {
			t.Errorf("%d messages of %d", len(tr.Messages), g.Messages)
		}
	})
}

type counted struct{ ops, needs int }

func (c *counted) Ranks(int32) error                 { return nil }
func (c *counted) Rank(int32) error                  { return nil }
func (c *counted) Op(goal.Op) error                  { c.ops++; return nil }
func (c *counted) Requires(int32, int32, bool) error { c.needs++; return nil }

// BenchmarkRead reads a dissemination of 4,096 ranks, 49,152 messages, and a halo exchange
// without requirements.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"dissemination", dissemination(4096, 1024)},
		{"halo", halos(16, 1024)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			var n counted
			for b.Loop() {
				if err := goal.Read(strings.NewReader(c.text), &n); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n.ops)/2/b.Elapsed().Seconds(), "msgs/s")
		})
	}
}
