package sim_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/hybridtop/hybridtop/cluster"
)

// program is a random one that cannot deadlock: in each phase a rank starts its
// messages among computing, one-sided calls and calls at others, then waits for all
// its messages, and after every other phase for everybody.
type program struct {
	seed   uint64
	ranks  int
	phases [][][]call // by phase and rank
	calls  int

	barriers bool // between phases, and before and after all
}

// verb is what a call does.
type verb int

const (
	vIsend verb = iota
	vIrecv
	vCompute
	vPut
	vGet
	vAdd
	vRPC
	vTrain
)

// call is one call: peer, bytes and the number of a message or of a place; and the
// memories of both sides.
type call struct {
	verb          verb
	peer, n, item int
	own, far      cluster.Memory
}

// A segment has a counter, places for puts, each of one writer and phase, and one
// place that its rank fills before all else and that gets read.
const (
	placeSize = 1 << 10
	wagons    = 7 // of a train
	places    = 24
	readOnly  = 8 + places*placeSize
	segment   = readOnly + placeSize
)

// generate makes a program of a seed. Sizes are on both sides of limit.
func generate(seed uint64, ranks int, limit int64) *program {
	rng := rand.New(rand.NewPCG(seed, 0x73696d))
	p := &program{seed: seed, ranks: ranks, barriers: true}
	memory := func() cluster.Memory { return []cluster.Memory{cluster.HostMemory, cluster.DeviceMemory}[rng.IntN(2)] }
	used := make([]int, ranks) // places of each segment
	for range 2 + rng.IntN(3) {
		cs := make([][]call, ranks)
		item := 0
		for range ranks * (2 + rng.IntN(4)) {
			r, peer := rng.IntN(ranks), rng.IntN(ranks)
			switch rng.IntN(8) {
			case 0, 1, 2:
				n := []int{0, 1, 8, 100, int(limit), int(limit) + 1, 3 * int(limit)}[rng.IntN(7)]
				cs[r] = append(cs[r], call{verb: vIsend, peer: peer, n: n, item: item, own: memory()})
				cs[peer] = append(cs[peer], call{verb: vIrecv, peer: r, n: n, item: item, own: memory()})
				item++
			case 3, 4:
				cs[r] = append(cs[r], call{verb: vCompute, n: 1 + rng.IntN(5000), item: rng.IntN(3)})
			case 5:
				if used[peer] < places {
					put := call{verb: vPut, peer: peer, n: 1 + rng.IntN(placeSize), item: used[peer], own: memory(), far: memory()}
					if rng.IntN(2) == 0 {
						put.verb, put.n = vTrain, 1+rng.IntN(placeSize/wagons)
					}
					cs[r] = append(cs[r], put)
					used[peer]++
				}
			case 6:
				cs[r] = append(cs[r], call{verb: vGet, peer: peer, n: 1 + rng.IntN(placeSize), own: memory(), far: memory()})
			case 7:
				cs[r] = append(cs[r], call{verb: []verb{vAdd, vRPC}[rng.IntN(2)], peer: peer, n: 1 + rng.IntN(100)})
			}
		}
		for r := range cs {
			rng.Shuffle(len(cs[r]), func(i, j int) { cs[r][i], cs[r][j] = cs[r][j], cs[r][i] })
			p.calls += len(cs[r]) + 2
		}
		p.phases = append(p.phases, cs)
	}
	return p
}

// pattern is n bytes that tell the seed and a number.
func (p *program) pattern(n, number int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8 + number*31 + int(p.seed))
	}
	return b
}

// play runs a rank's part and gives a digest of all that it received and of what
// its segment holds in the end, which only the program determines. seen is told of
// the end of each call.
func (p *program) play(r *cluster.Rank, seen func()) (uint64, error) {
	sum := fnv.New64a()
	served := 0
	fn := r.Register(func(c cluster.RPC) uint64 { served += len(c.Data); return uint64(c.Arg) * 2 })
	barrier := func() error {
		if !p.barriers {
			return nil
		}
		return r.Barrier(r.World())
	}
	copy(r.Segment()[readOnly:], p.pattern(placeSize, r.ID()))
	if err := barrier(); err != nil { // all have registered, and filled what gets read
		return 0, err
	}
	for k, phase := range p.phases {
		cs := phase[r.ID()]
		reqs := make([]cluster.Request, len(cs))
		bufs := make([][]byte, len(cs))
		for i, c := range cs {
			err := r.Using(cluster.Means{Own: c.own, Far: c.far}, func() (err error) {
				switch c.verb {
				case vIsend:
					err = r.Isend(&reqs[i], r.World(), c.peer, c.item, cluster.Of(p.pattern(c.n, c.item)))
				case vIrecv:
					bufs[i] = make([]byte, c.n)
					err = r.Irecv(&reqs[i], r.World(), c.peer, c.item, cluster.Of(bufs[i]))
				case vCompute:
					r.Compute([]cluster.Work{{Flops: float64(c.n)}, {Bytes: float64(c.n)}, {Flops: float64(c.n), Bytes: float64(c.n)}}[c.item], nil)
				case vPut:
					err = r.Put(cluster.At(c.peer, 8+int64(c.item)*placeSize), cluster.Of(p.pattern(c.n, c.item+k)))
				case vTrain:
					train := cluster.Column(8+int64(c.item*placeSize), int64(c.n), int64(c.n), wagons)
					err = r.PutWith(&cluster.Put{To: cluster.At(c.peer, 0), Data: cluster.Of(p.pattern(wagons*c.n, c.item+k)), Shape: train, Train: true}, &reqs[i], nil)
				case vGet:
					bufs[i] = make([]byte, c.n)
					err = r.Get(cluster.At(c.peer, readOnly), cluster.Of(bufs[i]))
				case vAdd:
					_, err = r.Atomic(cluster.At(c.peer, 0), cluster.AtomicAdd, uint64(c.n))
				case vRPC:
					var word uint64
					word, err = r.RPC(c.peer, fn, int32(c.n), cluster.Of(make([]byte, c.n)))
					if err == nil && word != 2*uint64(c.n) {
						err = fmt.Errorf("rank %d: rpc gave %d, want %d", r.ID(), word, 2*c.n)
					}
				}
				return err
			})
			if err != nil {
				return 0, err
			}
			seen()
		}
		if err := r.Waitall(reqs, nil); err != nil {
			return 0, err
		}
		seen()
		for _, b := range bufs {
			sum.Write(b)
		}
		if k%2 == 1 {
			if err := barrier(); err != nil {
				return 0, err
			}
		}
		seen()
	}
	if err := barrier(); err != nil {
		return 0, err
	}
	sum.Write(r.Segment())
	fmt.Fprint(sum, served)
	return sum.Sum64(), nil
}
