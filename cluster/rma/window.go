package rma

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Window is memory of every member of an MPI team that other members access with one-sided calls,
// in epochs (MPI-2; paper 1, section 2.1). Targets are ranks in the team. A window can span several
// UPC groups: only UPC access is limited to a group.
//
// Active target: Fence opens an epoch on all members and the next Fence closes it. Post and Wait
// expose a rank's own window to a group of origins; Start and Complete are the origin's side.
// Passive target: Lock and Unlock, one target at a time. When the call that ends an epoch returns,
// all puts, gets and accumulates of this rank in it are complete, at their targets too. Everything
// that MPI-2 forbids is an error here, even if it would do no harm on this fabric.
//
// The target grants a lock. If progress is "call", the target must therefore be inside a call, as
// with MPI libraries. A Window belongs to its rank's goroutine.
type Window struct {
	r     *cluster.Rank
	team  *cluster.Team // a separate team: its contexts belong to the window
	off   int64         // offset of the control block, followed by the window, in every segment
	sizes []int64       // bytes of the window, by member

	access   access
	used     bool     // the fence epoch has an access: only a fence can end it
	exposure exposure // of this rank's window
	targets  []int    // of Start
	origins  []int    // of Post
	target   int      // of Lock
	waits    uint64   // grants awaited so far
	made     map[int]*accesses
	freed    bool
}

type access uint8

const (
	noAccess access = iota
	fenceAccess
	started
	locked
)

type exposure uint8

const (
	unexposed exposure = iota
	fenceExposure
	posted
	waited
)

// LockKind is the kind of a lock of a window.
type LockKind uint8

// The kinds of locks: several ranks can hold a shared lock at once, only one an exclusive lock.
const (
	LockShared LockKind = iota
	LockExclusive
)

// Tags of the window's team.
const (
	tagPost = iota
	tagComplete
)

// controlBlock is the size of a window's control block: the word that counts the lock grants to
// this rank, padded to a cache line.
const controlBlock = 64

// NewWindow creates a window of bytes of this rank's segment (members can have different sizes),
// and of the other members. Every member of t must call it, outside parallel regions. t must be
// MPI_COMM_WORLD or split from it.
func NewWindow(r *cluster.Rank, t *cluster.Team, bytes int64) (*Window, error) {
	const call = "new window"
	lib := r.Lib()
	if err := lib.Member(call, t); err != nil {
		return nil, err
	}
	if !t.MPI() {
		return nil, lib.Errorf("%s: %s is not an MPI team: use MPI_COMM_WORLD or a team split from it", call, t.Name())
	}
	if segment := r.Spec().Segment; bytes < 0 || bytes > segment-controlBlock {
		return nil,
			lib.Errorf("%s of %d B: a window has 0 B up to the segment's %d B less %d", call, bytes, segment, controlBlock)
	}
	team, err := lib.Dup(call, t)
	if err != nil {
		return nil, err
	}
	w := &Window{r: r, team: team, sizes: make([]int64, team.Size()), made: make(map[int]*accesses)}
	both := make([]int64, 2*team.Size())
	if err := lib.Allgather(call, team, cluster.Bytes([]int64{lib.Heap(), bytes}), cluster.Bytes(both)); err != nil {
		return nil, err
	}
	for i := range w.sizes {
		lib.Raise(both[2*i])
		w.sizes[i] = both[2*i+1]
	}
	w.off, err = r.Alloc(controlBlock + bytes)
	if err != nil {
		return nil, err
	}
	first := w.off + controlBlock
	lib.Serve(team, (&lock{data: r.Segment()[first : first+bytes]}).serve)
	return w, r.Barrier(team)
}

// Free ends the window on every member. Its bytes remain allocated.
func (w *Window) Free() error {
	if err := w.checkIdle("free"); err != nil {
		return err
	}
	if w.used {
		return w.errorf("free: the fence epoch has accesses that are not complete: call Fence first")
	}
	if err := w.r.FreeTeam(w.team); err != nil {
		return err
	}
	w.freed = true
	w.r.Lib().Serve(w.team, nil)
	return nil
}

// Fence ends the current fence epoch, if any, and opens the next, on every member (MPI_Win_fence).
func (w *Window) Fence() error {
	if err := w.checkIdle("fence"); err != nil {
		return err
	}
	if err := w.close(); err != nil {
		return err
	}
	w.access, w.exposure = fenceAccess, fenceExposure
	return w.r.Barrier(w.team)
}

// Post exposes this rank's window to the origins (MPI_Win_post), without waiting.
func (w *Window) Post(origins []int) error {
	if err := w.checkAlive("post"); err != nil {
		return err
	}
	switch {
	case w.exposure == posted:
		return w.errorf("post: between Post and Wait: call Wait first")
	case w.access == locked:
		return w.errorf("post: this rank holds the lock of %d: call Unlock first", w.target)
	case w.used:
		return w.errorf("post: the fence epoch has accesses that are not complete: call Fence first")
	}
	var err error
	w.origins, err = w.group("post", origins, w.origins)
	if err != nil {
		return err
	}
	if w.access == fenceAccess {
		w.access = noAccess
	}
	w.exposure = posted
	return w.r.Lib().Notify("post", w.team, tagPost, w.origins)
}

// Start opens access to the targets after each has posted for this rank (MPI_Win_start).
func (w *Window) Start(targets []int) error {
	if err := w.checkOpening("start", -1); err != nil {
		return err
	}
	var err error
	w.targets, err = w.group("start", targets, w.targets)
	if err != nil {
		return err
	}
	me := w.team.Rank()
	if _, self := slices.BinarySearch(w.targets, me); self {
		if _, ok := slices.BinarySearch(w.origins, me); !ok || w.exposure != posted {
			return w.errorf("start towards %d, this rank itself, which has not posted for itself: call Post with it first", me)
		}
	}
	w.enter(started)
	return w.r.Lib().Noticed("start", w.team, tagPost, w.targets)
}

// Complete ends the epoch of Start (MPI_Win_complete): all accesses are complete, at their targets
// too.
func (w *Window) Complete() error {
	if err := w.checkAlive("complete"); err != nil {
		return err
	}
	if w.access != started {
		return w.errorf("complete: nothing was started: call Start first")
	}
	if err := w.close(); err != nil {
		return err
	}
	w.access = noAccess
	return w.r.Lib().Notify("complete", w.team, tagComplete, w.targets)
}

// Wait ends the epoch of Post (MPI_Win_wait). It returns after every origin has completed.
func (w *Window) Wait() error {
	if err := w.checkAlive("wait"); err != nil {
		return err
	}
	if w.exposure != posted {
		return w.errorf("wait: nothing was posted: call Post first")
	}
	if _, self := slices.BinarySearch(w.origins, w.team.Rank()); self && w.access == started {
		return w.errorf("wait: this rank is one of the origins and has not completed: call Complete first")
	}
	w.exposure = waited
	return w.r.Lib().Noticed("wait", w.team, tagComplete, w.origins)
}

// Lock opens access to one target without a call of the target (MPI_Win_lock). Requests are granted
// in the order in which they reach the target; consecutive shared requests hold the lock together.
func (w *Window) Lock(kind LockKind, target int) error {
	if err := w.checkOpening("lock", target); err != nil {
		return err
	}
	if err := w.checkMember("lock", target); err != nil {
		return err
	}
	if w.exposure == posted && target == w.team.Rank() {
		return w.errorf("lock of %d, this rank itself, between Post and Wait: a window is exposed or locked, not both; "+
			"call Wait first", target)
	}
	ask := requests[askShared : askShared+1]
	switch kind {
	case LockShared:
	case LockExclusive:
		ask = requests[askExclusive : askExclusive+1]
	default:
		return w.errorf("lock of %d: kind %d: want LockShared or LockExclusive", target, kind)
	}
	granted, err := w.ask(target, ask)
	if err != nil {
		return err
	}
	if granted == 0 {
		w.waits++
		if _, err := w.r.Await(w.off, cluster.CmpGreaterEqual, w.waits); err != nil {
			return err
		}
	}
	w.enter(locked)
	if w.exposure == waited {
		w.exposure = unexposed
	}
	w.target = target
	return nil
}

// Unlock ends the epoch of Lock (MPI_Win_unlock): all accesses are complete at the target, and the
// lock is granted to the next waiting ranks.
func (w *Window) Unlock(target int) error {
	if err := w.checkAlive("unlock"); err != nil {
		return err
	}
	switch {
	case w.access != locked:
		return w.errorf("unlock of %d: this rank holds no lock of the window: call Lock first", target)
	case target != w.target:
		return w.errorf("unlock of %d: this rank holds the lock of %d: unlock that", target, w.target)
	}
	if err := w.close(); err != nil {
		return err
	}
	w.access = noAccess
	next, err := w.ask(target, requests[askUnlock:askUnlock+1])
	for err == nil && next != 0 {
		_, err = w.r.Lib().Atomic(cluster.At(int(next-1), w.off), cluster.AtomicAdd, 1, 0)
		if err == nil {
			next, err = w.ask(target, requests[askNext:askNext+1])
		}
	}
	return err
}

// checkOpening returns an error if an access epoch would open inside another. target is −1 if the
// call has no single target.
func (w *Window) checkOpening(call string, target int) error {
	if w.access != locked && w.access != started && !w.used && !w.freed {
		return nil
	}
	if target >= 0 {
		call = fmt.Sprintf("%s of %d", call, target)
	}
	switch {
	case w.freed:
		return w.checkAlive(call)
	case w.access == locked && w.target == target:
		return w.errorf("%s: this rank holds that lock already: call Unlock first", call)
	case w.access == locked:
		return w.errorf("%s: this rank holds the lock of %d, and epochs of a window must not overlap: call Unlock first",
			call, w.target)
	case w.access == started:
		return w.errorf("%s: between Start and Complete, and epochs of a window must not overlap: call Complete first", call)
	}
	return w.errorf("%s: the fence epoch has accesses that are not complete: call Fence first", call)
}

// enter enters an access epoch. Like MPI, it leaves a fence epoch without accesses: such a fence
// only ended the previous epoch.
func (w *Window) enter(a access) {
	w.access = a
	if w.exposure == fenceExposure {
		w.exposure = unexposed
	}
}

// checkIdle returns an error if an epoch other than a fence epoch is open.
func (w *Window) checkIdle(call string) error {
	if err := w.checkAlive(call); err != nil {
		return err
	}
	switch {
	case w.access == locked:
		return w.errorf("%s: this rank holds the lock of %d: call Unlock first", call, w.target)
	case w.access == started:
		return w.errorf("%s: between Start and Complete: call Complete first", call)
	case w.exposure == posted:
		return w.errorf("%s: between Post and Wait: call Wait first", call)
	}
	return nil
}

// close completes the accesses of the epoch.
func (w *Window) close() error {
	for _, a := range w.made {
		a.clear()
	}
	w.used = false
	return w.r.Quiet()
}

// group copies a group of members into dst, in rising order.
func (w *Window) group(call string, members, dst []int) ([]int, error) {
	dst = append(dst[:0], members...)
	slices.Sort(dst)
	for i, m := range dst {
		if err := w.checkMember(call, m); err != nil {
			return dst[:0], err
		}
		if i > 0 && dst[i-1] == m {
			return dst[:0], w.errorf("%s: rank %d is in the group twice: name each once", call, m)
		}
	}
	return dst, nil
}

func (w *Window) checkMember(call string, target int) error {
	if uint(target) >= uint(len(w.sizes)) {
		return w.errorf("%s of %d: the team has ranks 0 to %d", call, target, len(w.sizes)-1)
	}
	return nil
}

func (w *Window) checkAlive(call string) error {
	if w.freed {
		return w.errorf("%s: the window was freed: make a new one", call)
	}
	if w.r.Lib().Parallel() {
		return w.errorf("%s: inside a parallel region: a window is for the rank itself to use, between its regions", call)
	}
	return nil
}

// ask sends a request to the lock of a member's window.
func (w *Window) ask(member int, data []byte) (uint64, error) {
	return w.r.Lib().Ask(w.team, member, cluster.Of(data))
}

func (w *Window) errorf(format string, args ...any) error {
	return w.r.Lib().Errorf("window of "+w.team.Name()+": "+format, args...)
}
