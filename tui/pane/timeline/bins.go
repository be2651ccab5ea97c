package timeline

import (
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// blockBins is how many neighbouring bins share their time out among activities.
const blockBins = 16

// looksAFrame bounds how often a frame looks into lanes; rows beyond it are left for
// the next one.
const looksAFrame = 3_200

// compute brings the bins of the rows that are shown up to date, half of them a
// cell; false: not all of them yet.
func (r *laneRows) compute(tl *timeline.View, s *shownLanes, half int) bool {
	if r.column != s.column || r.half != half || r.made != [2]cluster.Time{r.origin, r.until} {
		for i := range r.all {
			row := &r.all[i]
			row.bins, row.settled, row.sure, row.seen = row.bins[:0], 0, 0, nil
		}
		r.column, r.half, r.made = s.column, half, [2]cluster.Time{r.origin, r.until}
	}
	looks, skip := 0, 0
	if r.next > s.top && r.next < s.top+s.rows {
		skip = r.next - s.top
	}
	for k := range s.rows {
		i := s.top + (skip+k)%s.rows
		if looks > looksAFrame {
			r.next = i
			return false
		}
		looks += r.all[i].compute(tl, r, s)
	}
	return true
}

// edge is the time at which bin n begins.
func (r *laneRows) edge(n int64) cluster.Time {
	return r.origin + cluster.Time(n/int64(r.half))*r.column + cluster.Time(n%int64(r.half))*r.column/cluster.Time(r.half)
}

// limit is the time beyond which no bin shows anything.
func (r *laneRows) limit(tl *timeline.View) cluster.Time {
	if r.until > 0 {
		return min(r.until, tl.Edge)
	}
	return tl.Edge
}

// span is the whole blocks of bins that what is shown touches.
func (r *laneRows) span(s *shownLanes) (first, last int64) {
	first = int64((s.begin-r.origin)/s.column) * int64(r.half)
	last = first + int64(s.columns*r.half)
	return first / blockBins * blockBins, (last + blockBins - 1) / blockBins * blockBins
}

// compute works out the bins of a row that are new or may have changed, and gives
// how often it looked into lanes.
func (row *laneRow) compute(tl *timeline.View, r *laneRows, s *shownLanes) int {
	first, last := r.span(s)
	n := int(last - first)
	if row.seen == tl && row.first == first && len(row.bins) == n {
		return 0
	}
	row.seen = tl
	// Keep what overlaps and is settled.
	keep, from := row.bins[:0], first
	if old := row.first + int64(len(row.bins)); len(row.bins) > 0 && row.first <= first && old > first && row.settled > first {
		until := min(old, row.settled, last)
		keep = append(keep, row.bins[first-row.first:until-row.first]...)
		from = until
	}
	block, sure := row.settled, row.sure
	row.bins, row.first = slices.Grow(keep, n)[:n], first
	row.sure = row.known(tl, r, last)
	row.settled = row.sure / blockBins * blockBins
	limit := r.limit(tl)
	row.told = int64((max(limit-r.origin, 0)+r.column-1)/r.column) * int64(r.half)
	fresh := row.bins[from-first:]
	clear(fresh)
	told := int(min(row.told, last) - from)
	if told <= 0 {
		row.sure = row.settled
		return 0
	}
	told = (told + blockBins - 1) / blockBins * blockBins
	r.acc = slices.Grow(r.acc[:0], told)[:told]
	clear(r.acc)
	old := 0 // bins whose sums are known
	if block == from && sure > block {
		old = copy(r.acc, row.tail[:sure-block])
	}
	looks := 0
	for _, i := range r.order[row.lo:row.hi] {
		at := r.edges[i][0]
		if from > first {
			at = r.edges[i][1]
		}
		l := &tl.Lanes[i]
		before := l.Sums(min(r.edge(from+int64(old)), limit), &at)
		looks++
		for k := old; k < told; k++ {
			until := r.edge(from + int64(k) + 1)
			next := l.Sums(min(until, limit), &at)
			looks++
			for a := range next {
				r.acc[k][a] += next[a] - before[a]
			}
			if before = next; until >= limit {
				break
			}
		}
	}
	for k := 0; k < told; k += blockBins {
		shareOut(r.acc[k:k+blockBins], fresh[k:k+blockBins])
	}
	if row.settled < from {
		row.sure = row.settled
	}
	if row.sure > row.settled {
		copy(row.tail[:], r.acc[row.settled-from:row.sure-from])
	}
	return looks
}

// known is the number of the first bin, up to last, whose sums may still change.
func (row *laneRow) known(tl *timeline.View, r *laneRows, last int64) int64 {
	end := r.limit(tl)
	for _, i := range r.order[row.lo:row.hi] {
		end = min(end, tl.Lanes[i].Settled())
	}
	return min(int64(max(end-r.origin, 0)/r.column)*int64(r.half), last)
}

// choosing is the order in which activities get their bins: a message's time is short
// beside all else, and would never hold most of a bin.
var choosing = [timeline.Activities]timeline.Activity{
	timeline.ActivityCommunicate, timeline.ActivityCopy, timeline.ActivityLock,
	timeline.ActivityWait, timeline.ActivityCompute, timeline.ActivitySleep,
}

// shareOut says what each bin of a block shows: an activity, + 1; 0: there is no time.
// Each activity gets as many bins as it has of the block's time, and one at least if it
// has any: those of which it has most, and none of which it has nothing. Bins that are
// left show what holds most of their time.
func shareOut(sums []timeline.Sums, out []uint8) {
	var share [blockBins][timeline.Activities]float64
	var whole [timeline.Activities]float64 // in bins
	free := 0
	for k := range sums {
		out[k] = 0
		total := cluster.Time(0)
		for _, x := range sums[k] {
			total += x
		}
		if total == 0 {
			continue
		}
		free++
		for a, x := range sums[k] {
			share[k][a] = float64(x) / float64(total)
			whole[a] += share[k][a]
		}
	}
	for _, a := range choosing {
		if whole[a] == 0 {
			continue
		}
		for n := max(int(whole[a]+0.5), 1); n > 0 && free > 0; n-- {
			best, most := -1, 0.0
			for _, k := range spread {
				if k < len(sums) && out[k] == 0 && share[k][a] > most {
					best, most = k, share[k][a]
				}
			}
			if best < 0 {
				break
			}
			out[best] = uint8(a) + 1
			free--
		}
	}
	for k := range sums {
		if out[k] == 0 {
			out[k] = most(&sums[k])
		}
	}
}

// spread is the order of bins that hold as much of an activity: those that show it stand
// apart.
var spread = [blockBins]int{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}

// most is the activity with the most time, + 1; 0: there is no time.
func most(s *timeline.Sums) uint8 {
	best, at := cluster.Time(0), uint8(0)
	for a, t := range s {
		if t > best {
			best, at = t, uint8(a)+1
		}
	}
	return at
}

// bin is what bin n of row i shows, + 1; 0: it is not known, or not worked out yet.
func (r *laneRows) bin(i int, n int64) uint8 {
	if row := &r.all[i]; n >= row.first && n-row.first < int64(len(row.bins)) {
		return row.bins[n-row.first]
	}
	return 0
}

// edgeOf is the number of the first bin behind those that are shown: of rows that are
// left for the next frame the end may be older, and rows end together.
func (r *laneRows) edgeOf(s *shownLanes) int64 {
	last := int64(math.MaxInt64)
	for i := s.top; i < s.top+s.rows; i++ {
		if row := &r.all[i]; len(row.bins) > 0 {
			last = min(last, row.told, row.first+int64(len(row.bins)))
		}
	}
	return last
}

// sums is the time by activity of row i between two times.
func (r *laneRows) sums(tl *timeline.View, i int, from, to cluster.Time) (s timeline.Sums) {
	from, to = min(from, r.limit(tl)), min(to, r.limit(tl))
	for _, k := range r.order[r.all[i].lo:r.all[i].hi] {
		l := &tl.Lanes[k]
		a, b := l.Sums(from, &r.edges[k][0]), l.Sums(to, &r.edges[k][1])
		for x := range s {
			s[x] += b[x] - a[x]
		}
	}
	return s
}
