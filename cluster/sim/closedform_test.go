package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// Patterns end at the times of LogGP's closed forms, to the picosecond, with the parameters of a
// published comparison: L 2500, o 1500, g 1000 ns and G 6 ns per byte.
//
// Adapters receive messages like they send them, g + (s−1)G apart. LogGP has no such limit. If no
// rank receives more than it sends, the limit changes nothing.
func TestClosedForms(t *testing.T) {
	const ns = cluster.Nanosecond
	m := cluster.Machine{Name: "tested", Progress: cluster.ProgressOffload, EagerLimit: 1 << 16, Flops: 1e9}
	m.Classes[cluster.Remote] = cluster.Link{Latency: 2500 * ns, Overhead: 1500 * ns, Gap: 1000 * ns, Bandwidth: 1e9 / 6.}
	for _, c := range []struct {
		what        string
		ranks, size int
		long        bool
		body        func(r *cluster.Rank, size int) error
		form        string // time of the last rank
		want        cluster.Time
	}{
		{"ping-pong", 2, 1024, false, ring, "2*(2*o + L + (s-1)*G)", 23_276 * ns},
		{"binomial broadcast", 256, 1024, false, binomial, "8*(2*o + L + (s-1)*G)", 93_104 * ns},
		{"dissemination", 256, 1024, false, dissemination, "8*(2*o + L + (s-1)*G)", 93_104 * ns},
		{"linear all-to-all", 256, 1024, false, allToAll, "(n-1)*(g + (s-1)*G) + 2*o + L - g", 1_824_690 * ns},
		{"3-D halo", 512, 8192, false, halo(8), "6*(g + (s-1)*G) + 2*o + L - g", 305_376 * ns},
		{"3-D halo", 4096, 8192, true, halo(16), "6*(g + (s-1)*G) + 2*o + L - g", 305_376 * ns},
		{"incast", 256, 1024, false, incast, "o + L + (n-2)*(g + (s-1)*G) + (s-1)*G + o", 1_824_690 * ns},
		{"incast of short ones", 256, 8, false, incast, "o + L + (s-1)*G + (n-1)*o", 386_542 * ns}, // o is more than g + 7G
	} {
		if c.long && testing.Short() {
			continue
		}
		names := map[string]cluster.Time{"L": 2500 * ns, "o": 1500 * ns, "g": 1000 * ns, "G": 6 * ns,
			"n": cluster.Time(c.ranks), "s": cluster.Time(c.size)}
		form, err := evaluate(c.form, names)
		if err != nil {
			t.Fatal(err)
		}
		ends := make([]cluster.Time, c.ranks)
		simulated(t, clustertest.Spec(m, c.ranks, 1), func(r *cluster.Rank) error {
			err := c.body(r, c.size)
			ends[r.ID()] = sim.Clock(r.Lib().Port())
			return err
		})
		var last cluster.Time
		for _, end := range ends {
			last = max(last, end)
		}
		if form != c.want || last != form {
			t.Errorf("%s of %d ranks, %d B: it ends at %s; %s is %s, want %s", c.what, c.ranks, c.size, nanoseconds(last),
				c.form, nanoseconds(form), nanoseconds(c.want))
		}
	}
}

// allToAll sends first to the right neighbour and last to the left one.
func allToAll(r *cluster.Rank, size int) error {
	n := r.Ranks()
	buf := make([]byte, size)
	for i := 1; i < n; i++ {
		if err := r.Send(r.World(), (r.ID()+i)%n, 0, cluster.Of(buf)); err != nil {
			return err
		}
	}
	for i := 1; i < n; i++ {
		if _, err := r.Recv(r.World(), (r.ID()+n-i)%n, 0, cluster.Of(buf)); err != nil {
			return err
		}
	}
	return nil
}

// incast has all others send to rank 0.
func incast(r *cluster.Rank, size int) error {
	buf := make([]byte, size)
	if r.ID() > 0 {
		return r.Send(r.World(), 0, 0, cluster.Of(buf))
	}
	for i := 1; i < r.Ranks(); i++ {
		if _, err := r.Recv(r.World(), cluster.AnySource, 0, cluster.Of(buf)); err != nil {
			return err
		}
	}
	return nil
}

// halo sends a face to each of the six neighbours in a periodic cube of ranks.
func halo(side int) func(r *cluster.Rank, size int) error {
	return func(r *cluster.Rank, size int) error {
		buf := make([]byte, size)
		var steps [][2]int // target of a face, and source of the same face
		for stride := 1; stride < r.Ranks(); stride *= side {
			at := r.ID() / stride % side
			up, down := r.ID()+((at+1)%side-at)*stride, r.ID()+((at+side-1)%side-at)*stride
			steps = append(steps, [2]int{up, down}, [2]int{down, up})
		}
		for i, s := range steps {
			if err := r.Send(r.World(), s[0], i, cluster.Of(buf)); err != nil {
				return err
			}
		}
		for i, s := range steps {
			if _, err := r.Recv(r.World(), s[1], i, cluster.Of(buf)); err != nil {
				return err
			}
		}
		return nil
	}
}

// Long concurrent exchanges take as long as consecutive ones, for any number. Each rank of a ring
// exchanges k messages with both neighbours at the same time. An eager message takes g + (s−1)G of
// its adapter. A rendezvous takes 3g + (s−1)G, because both handshakes and the bytes need a gap
// each. From the third exchange on, each adds exactly that time; the second one hides in latencies
// of the first. Exchanges among more than two ranks contend at receivers: see TestCallsSideBySide.
func TestExchangesSideBySide(t *testing.T) {
	const ns, maxSends = cluster.Nanosecond, 6
	m := cluster.Machine{Name: "tested", Progress: cluster.ProgressOffload, EagerLimit: 8 << 10, Flops: 1e9}
	m.Classes[cluster.Remote] = cluster.Link{Latency: 2500 * ns, Overhead: 1500 * ns, Gap: 1000 * ns, Bandwidth: 250e6}
	for _, ranks := range []int{2, 3, 16} {
		for _, c := range []struct {
			size int64
			gaps cluster.Time
		}{{1 << 10, 1}, {8 << 10, 1}, {16 << 10, 3}, {1 << 20, 3}} {
			var ends [maxSends + 1]cluster.Time
			for k := 1; k <= maxSends; k++ {
				simulated(t, clustertest.Spec(m, ranks, 1), func(r *cluster.Rank) error {
					err := bothSides(r, k, c.size)
					ends[k] = max(ends[k], sim.Clock(r.Lib().Port()))
					return err
				})
				each := 2 * (c.gaps*1000*ns + cluster.Time(c.size-1)*4*ns)
				if more := ends[k] - ends[k-1]; k > 2 && more != each {
					t.Errorf("ring of %d, %d B: exchange %d a side adds %s, want 2(%dg + (s-1)G) = %s", ranks, c.size, k,
						nanoseconds(more), c.gaps, nanoseconds(each))
				}
			}
		}
	}
}

// bothSides exchanges k messages with both neighbours in a ring.
func bothSides(r *cluster.Rank, k int, size int64) error {
	n := r.Ranks()
	peers := [2]int{(r.ID() + 1) % n, (r.ID() + n - 1) % n}
	qs := make([]cluster.Request, 4*k)
	for i := range 2 * k {
		// tag of the other side's message
		if err := r.Irecv(&qs[i], r.World(), peers[i%2], i^1, cluster.Sized(size)); err != nil {
			return err
		}
	}
	for i := range 2 * k {
		if err := r.Isend(&qs[2*k+i], r.World(), peers[i%2], i, cluster.Sized(size)); err != nil {
			return err
		}
	}
	return r.Waitall(qs, nil)
}
