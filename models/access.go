package models

import (
	"fmt"
	"math"
)

// A Link has an asymptotic bandwidth b∞ in B/s and a latency T_lat in seconds.
type Link struct{ Bandwidth, Latency float64 }

// HalfSize returns n½ = b∞·T_lat in bytes. A message of this size reaches half of b∞.
func (l Link) HalfSize() float64 { return l.Bandwidth * l.Latency }

func (l Link) check(name string) error {
	if !(l.Bandwidth > 0) || math.IsInf(l.Bandwidth, 1) {
		return fmt.Errorf("%s: bandwidth %v B/s: want a number above 0", name, l.Bandwidth)
	}
	if !(l.Latency >= 0) || math.IsInf(l.Latency, 1) {
		return fmt.Errorf("%s: latency %v s: want a number of seconds, not negative", name, l.Latency)
	}
	return nil
}

// AccessMethod is a row of table 2: a way to bring remote memory into a register.
type AccessMethod struct {
	Name   string // for example "two-sided"
	Title  string // the paper's name
	Copies int    // copies in memory on the way
	Remark string // targets of the copies, or the limit of the method
}

// AccessCosts are the machine's numbers in table 2.
type AccessCosts struct {
	TwoSided    Link    // MPI messages
	OneSided    Link    // MPI one-sided calls; pages, pre-fetch and buffers use it, too
	WordLatency float64 // time to load a remote word, s
	WordSize    int     // B
	PageSize    int     // B
	Stride      int     // distance between two requested words, in words; 0 or 1: contiguous
	Write       bool    // words are written: changed pages are fetched, and then written back
}

// PaperAccess are the numbers of table 2's examples: b∞ 300 MB/s and T_lat 10 µs for messages,
// words of 8 bytes at 0.33 µs. The paper has no numbers for one-sided calls ("probably better") and
// no page size. Here one-sided calls have the numbers of messages, and a page has 4096 bytes.
var PaperAccess = AccessCosts{
	TwoSided:    Link{Bandwidth: 300e6, Latency: 10e-6},
	OneSided:    Link{Bandwidth: 300e6, Latency: 10e-6},
	WordLatency: 0.33e-6,
	WordSize:    8,
	PageSize:    4096,
}

// Access is a method with its predicted bandwidth, in B/s of requested bytes. The terms are seconds
// per access.
type Access struct {
	AccessMethod
	Prediction
}

// The terms of an access.
const (
	TermLatency  = "latency"
	TermTransfer = "transfer"
)

// Accesses returns the rows of table 2 for size requested bytes. The paper has no bandwidth for
// pages; it only calls them extremely poor if parts of a page are needed. Here it is computed for
// all pages that contain a requested word, if the first word begins a page.
func (c AccessCosts) Accesses(size int) ([]Access, error) {
	if err := c.check(size); err != nil {
		return nil, err
	}
	whole := func(unit int) (count, bytes float64) {
		n := float64((size-1)/unit + 1)
		return n, n * float64(unit)
	}
	pages, pageBytes := whole(c.PageSize)
	words, _ := whole(c.WordSize)
	if c.Stride > 1 {
		extent := ((words-1)*float64(c.Stride) + 1) * float64(c.WordSize)
		pages = min(words, math.Ceil(extent/float64(c.PageSize)))
		pageBytes = pages * float64(c.PageSize)
	}
	if c.Write {
		pages *= 2
		pageBytes *= 2
	}
	bytes := float64(size)
	return []Access{
		newAccess(size, AccessMethod{
			Name: "two-sided", Title: "2-sided MPI", Copies: 2,
			Remark: "internal MPI buffer and application receive buffer",
		}, c.TwoSided.Latency, bytes/c.TwoSided.Bandwidth),
		newAccess(size, AccessMethod{
			Name: "one-sided", Title: "1-sided MPI", Copies: 1,
			Remark: "application receive buffer",
		}, c.OneSided.Latency, bytes/c.OneSided.Bandwidth),
		newAccess(size, AccessMethod{
			Name: "page", Title: "page based transfer", Copies: 1,
			Remark: "extremely poor if only parts of the page are needed",
		}, pages*c.OneSided.Latency, pageBytes/c.OneSided.Bandwidth),
		newAccess(size, AccessMethod{
			Name: "word", Title: "word based access",
			Remark: "each word waits for the previous one",
		}, words*c.WordLatency, 0),
		newAccess(size, AccessMethod{
			Name: "prefetch", Title: "latency hiding with pre-fetch",
			Remark: "the latency is completely hidden",
		}, 0, bytes/c.OneSided.Bandwidth),
		newAccess(size, AccessMethod{
			Name: "buffering", Title: "latency hiding with buffering", Copies: 1,
			Remark: "as one-sided",
		}, c.OneSided.Latency, bytes/c.OneSided.Bandwidth),
	}, nil
}

// newAccess returns a method with the bandwidth size/(latency + transfer). For one message this is
// b(size).
func newAccess(size int, method AccessMethod, latency, transfer float64) Access {
	p := Prediction{Unit: "B/s", Sum: []Term{{TermLatency, latency, "s"}, {TermTransfer, transfer, "s"}}}
	p.Value = float64(size) / p.total()
	return Access{AccessMethod: method, Prediction: p}
}

func (c AccessCosts) check(size int) error {
	if size < 1 {
		return fmt.Errorf("an access of %d bytes: want at least 1", size)
	}
	if c.Stride < 0 {
		return fmt.Errorf("stride of %d words: want at least 0", c.Stride)
	}
	if min(c.WordSize, c.PageSize) < 1 {
		return fmt.Errorf("words of %d bytes and pages of %d: want at least 1", c.WordSize, c.PageSize)
	}
	if !(c.WordLatency > 0) || math.IsInf(c.WordLatency, 1) {
		return fmt.Errorf("word: latency %v s: want a number of seconds above 0", c.WordLatency)
	}
	if err := c.TwoSided.check("two-sided"); err != nil {
		return err
	}
	return c.OneSided.check("one-sided")
}
