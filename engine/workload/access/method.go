package access

import (
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/rma"
)

// A method is a way to remote memory: a row of table 2.
type method struct {
	name string // in package models
	doc  string
	mpi  bool // it needs MPI, and otherwise a UPC group with the owner
	// move moves all words as rank 0, serve is the owner's part. A nil serve: the owner is passive.
	move, serve func(x *transfer) error
}

// metric returns the name of a metric of the method.
func (m *method) metric(of string) string { return of + "_" + strings.ReplaceAll(m.name, "-", "_") }

// methods are the ways to remote memory, in the order of table 2.
var methods = []*method{
	{name: "two-sided", doc: "one message", mpi: true, move: (*transfer).message, serve: (*transfer).answer},
	{name: "one-sided", doc: "MPI window, between two fences", mpi: true, move: (*transfer).window,
		serve: (*transfer).fence},
	{name: "page", doc: "pages, fetched at the first access", move: (*transfer).byPage},
	{name: "word", doc: "word by word", move: (*transfer).byWord},
	{name: "prefetch", doc: "up to depth gets or puts in progress", move: (*transfer).ahead},
	{name: "buffering", doc: "one get or put of all words", move: (*transfer).buffered},
}

// names are the names of the methods.
var names = func() (all []string) {
	for _, m := range methods {
		all = append(all, m.name)
	}
	return all
}()

// A transfer is the state of a method, on rank 0 or on the owner.
type transfer struct {
	r      *cluster.Rank
	method *method
	shape
	write  bool
	owner  int           // its number in the cluster
	team   *cluster.Team // rank 0 and the owner
	off    int64         // of the words in the owner's segment
	words  []uint64      // the requested words at rank 0; at the owner, packed words of a message
	region []uint64      // at the owner: the words and those between them
	win    *rma.Window   // of the method one-sided
	cache  []uint64      // of the method page
	valid  []bool        // by page of the cache
	depth  int           // of the method prefetch
	line   int           // words of a prefetch
	ops    []cluster.Request
	local  []cluster.Request // local completion of puts
}

const tag = 1

// at returns the address of word i.
func (x *transfer) at(i int) cluster.Target {
	return cluster.At(x.owner, x.off+wordSize*int64(i)*x.stride)
}

// peer returns the number of the other rank in MPI_COMM_WORLD.
func (x *transfer) peer() int {
	if x.r.ID() == 0 {
		return x.r.World().Local(x.owner)
	}
	return x.r.World().Local(0)
}

// send sends words to the other rank.
func (x *transfer) send(words []uint64) error {
	return x.r.Send(x.r.World(), x.peer(), tag, cluster.Of(words))
}

func (x *transfer) receive(words []uint64) error {
	_, err := x.r.Recv(x.r.World(), x.peer(), tag, cluster.Of(words))
	return err
}

// message receives the words in a message of the owner, or sends them and waits for its reply.
func (x *transfer) message() error {
	if !x.write {
		return x.receive(x.words)
	}
	if err := x.send(x.words); err != nil {
		return err
	}
	return x.receive(nil)
}

// answer is the owner's part of message. It packs words that are not contiguous.
func (x *transfer) answer() error {
	packed := x.words
	if x.stride == 1 {
		packed = x.region[:x.shape.words]
	}
	if !x.write {
		x.pack(func() {
			for i := range packed {
				packed[i] = x.region[int64(i)*x.stride]
			}
		})
		return x.send(packed)
	}
	if err := x.receive(packed); err != nil {
		return err
	}
	x.pack(func() {
		for i := range packed {
			x.region[int64(i)*x.stride] = packed[i]
		}
	})
	return x.send(nil)
}

// pack copies words between the region and a packed buffer.
func (x *transfer) pack(copyAll func()) {
	if x.stride > 1 {
		x.r.Compute(cluster.Work{Bytes: 2 * float64(x.bytes())}, copyAll)
	}
}

// target is the owner's number in the team.
const target = 1

// window moves the words between two fences: contiguous words at once, others one by one.
func (x *transfer) window() error {
	do := x.win.Get
	if x.write {
		do = x.win.Put
	}
	each := len(x.words)
	if x.stride > 1 {
		each = 1
	}
	for i := 0; i < len(x.words); i += each {
		if err := do(target, wordSize*int64(i)*x.stride, cluster.Of(x.words[i:i+each])); err != nil {
			return err
		}
	}
	return x.win.Fence()
}

// fence is the owner's part of window.
func (x *transfer) fence() error { return x.win.Fence() }

// byWord waits for each word.
func (x *transfer) byWord() error {
	do := x.r.Get
	if x.write {
		do = x.r.Put
	}
	for i := range x.words {
		if err := do(x.at(i), cluster.Of(x.words[i:i+1])); err != nil {
			return err
		}
	}
	return nil
}

// byPage fetches the page of a word at its first access. Changed pages are written back at the end.
func (x *transfer) byPage() error {
	clear(x.valid)
	perPage := int(x.page / wordSize)
	page := func(p int) (cluster.Target, cluster.Data) {
		return cluster.At(x.owner, x.off+int64(p)*x.page), cluster.Of(x.cache[p*perPage : (p+1)*perPage])
	}
	for i := range x.words {
		at := i * int(x.stride)
		if p := at / perPage; !x.valid[p] {
			from, to := page(p)
			if err := x.r.Get(from, to); err != nil {
				return err
			}
			x.valid[p] = true
		}
		if x.write {
			x.cache[at] = x.words[i]
		} else {
			x.words[i] = x.cache[at]
		}
	}
	for p := range x.valid {
		if !x.write || !x.valid[p] {
			continue
		}
		to, data := page(p)
		if err := x.r.Put(to, data); err != nil {
			return err
		}
	}
	return nil
}

// ahead has up to depth gets or puts in progress, and waits for them in order.
func (x *transfer) ahead() error {
	begun, ended := 0, 0
	for first := 0; first < len(x.words); first += x.line {
		if begun-ended == x.depth {
			if err := x.complete(ended); err != nil {
				return err
			}
			ended++
		}
		data := cluster.Of(x.words[first:min(first+x.line, len(x.words))])
		k := begun % x.depth
		var err error
		if x.write {
			err = x.r.PutWith(&cluster.Put{To: x.at(first), Data: data}, &x.ops[k], &x.local[k])
		} else {
			err = x.r.GetWith(&cluster.Get{From: x.at(first), Data: data}, &x.ops[k])
		}
		if err != nil {
			return err
		}
		begun++
	}
	for ; ended < begun; ended++ {
		if err := x.complete(ended); err != nil {
			return err
		}
	}
	return nil
}

// complete waits for a prefetch.
func (x *transfer) complete(n int) error {
	k := n % x.depth
	if x.write {
		if _, err := x.r.Wait(&x.local[k]); err != nil {
			return err
		}
	}
	_, err := x.r.Wait(&x.ops[k])
	return err
}

// buffered moves all words at once. Words that are not contiguous are packed on the way.
func (x *transfer) buffered() error {
	var at cluster.Strided
	if x.stride > 1 {
		at = cluster.Column(0, wordSize*x.stride, wordSize, len(x.words))
	}
	if x.write {
		return x.r.PutWith(&cluster.Put{To: x.at(0), Data: cluster.Of(x.words), Shape: at}, nil, nil)
	}
	return x.r.GetWith(&cluster.Get{From: x.at(0), Data: cluster.Of(x.words), Shape: at}, nil)
}
