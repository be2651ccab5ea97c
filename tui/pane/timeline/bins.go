package timeline

import (
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// blockBins is the number of neighbouring bins among which the activities of a block are
// distributed.
const blockBins = 16

// lookupsPerFrame is the maximum number of lookups in lanes per frame. Rows beyond it are left for
// the next frame.
const lookupsPerFrame = 3_200

// compute updates the bins of the rows that are shown, with binsPerCell bins in each cell. It
// returns false if rows are left for the next frame.
func (r *laneRows) compute(tl *timeline.View, s *frame, binsPerCell int) bool {
	if r.column != s.column || r.binsPerCell != binsPerCell || r.computedFor != [2]cluster.Time{r.origin, r.until} {
		for i := range r.all {
			row := &r.all[i]
			row.bins = row.bins[:0]
			row.settledEnd = 0
			row.sumsEnd = 0
			row.lastView = nil
		}
		r.column = s.column
		r.binsPerCell = binsPerCell
		r.computedFor = [2]cluster.Time{r.origin, r.until}
	}
	lookups, skip := 0, 0
	if r.firstLeft > s.top && r.firstLeft < s.top+s.rows {
		skip = r.firstLeft - s.top
	}
	for k := range s.rows {
		i := s.top + (skip+k)%s.rows
		if lookups > lookupsPerFrame {
			r.firstLeft = i
			return false
		}
		lookups += r.all[i].compute(tl, r, s)
	}
	return true
}

// edge returns the time at which bin n begins.
func (r *laneRows) edge(n int64) cluster.Time {
	per := int64(r.binsPerCell)
	return r.origin + cluster.Time(n/per)*r.column + cluster.Time(n%per)*r.column/cluster.Time(per)
}

// limit returns the time beyond which no bin shows anything.
func (r *laneRows) limit(tl *timeline.View) cluster.Time {
	if r.until > 0 {
		return min(r.until, tl.Edge)
	}
	return tl.Edge
}

// span returns the range of bins that are shown, extended to complete blocks.
func (r *laneRows) span(s *frame) (first, last int64) {
	first = int64((s.begin-r.origin)/s.column) * int64(r.binsPerCell)
	last = first + int64(s.columns*r.binsPerCell)
	return first / blockBins * blockBins, (last + blockBins - 1) / blockBins * blockBins
}

// compute computes the bins of a row that are new or may have changed. It returns the number of
// lookups in lanes.
func (row *laneRow) compute(tl *timeline.View, r *laneRows, s *frame) int {
	first, last := r.span(s)
	n := int(last - first)
	if row.lastView == tl && row.first == first && len(row.bins) == n {
		return 0
	}
	row.lastView = tl
	// Keep settled bins that are still shown.
	keep, from := row.bins[:0], first
	oldEnd := row.first + int64(len(row.bins))
	if len(row.bins) > 0 && row.first <= first && oldEnd > first && row.settledEnd > first {
		until := min(oldEnd, row.settledEnd, last)
		keep = append(keep, row.bins[first-row.first:until-row.first]...)
		from = until
	}
	block, oldSumsEnd := row.settledEnd, row.sumsEnd
	row.bins, row.first = slices.Grow(keep, n)[:n], first
	row.sumsEnd = row.firstOpenBin(tl, r, last)
	row.settledEnd = row.sumsEnd / blockBins * blockBins
	limit := r.limit(tl)
	row.knownEnd = int64((max(limit-r.origin, 0)+r.column-1)/r.column) * int64(r.binsPerCell)
	fresh := row.bins[from-first:]
	clear(fresh)
	count := int(min(row.knownEnd, last) - from)
	if count <= 0 {
		row.sumsEnd = row.settledEnd
		return 0
	}
	count = (count + blockBins - 1) / blockBins * blockBins
	r.acc = slices.Grow(r.acc[:0], count)[:count]
	clear(r.acc)
	summed := 0 // number of bins with known sums
	if block == from && oldSumsEnd > block {
		summed = copy(r.acc, row.tail[:oldSumsEnd-block])
	}
	lookups := 0
	for _, i := range r.order[row.lo:row.hi] {
		at := r.edges[i][0]
		if from > first {
			at = r.edges[i][1]
		}
		l := &tl.Lanes[i]
		before := l.Sums(min(r.edge(from+int64(summed)), limit), &at)
		lookups++
		for k := summed; k < count; k++ {
			until := r.edge(from + int64(k) + 1)
			next := l.Sums(min(until, limit), &at)
			lookups++
			for a := range next {
				r.acc[k][a] += next[a] - before[a]
			}
			before = next
			if until >= limit {
				break
			}
		}
	}
	for k := 0; k < count; k += blockBins {
		distributeBins(r.acc[k:k+blockBins], fresh[k:k+blockBins])
	}
	if row.settledEnd < from {
		row.sumsEnd = row.settledEnd
	}
	if row.sumsEnd > row.settledEnd {
		copy(row.tail[:], r.acc[row.settledEnd-from:row.sumsEnd-from])
	}
	return lookups
}

// firstOpenBin returns the number of the first bin, up to last, whose sums may still change.
func (row *laneRow) firstOpenBin(tl *timeline.View, r *laneRows, last int64) int64 {
	end := r.limit(tl)
	for _, i := range r.order[row.lo:row.hi] {
		end = min(end, tl.Lanes[i].Settled())
	}
	return min(int64(max(end-r.origin, 0)/r.column)*int64(r.binsPerCell), last)
}

// activityOrder is the order in which activities get their bins. Messages come first, because their
// time is short compared with other activities and would never fill most of a bin.
var activityOrder = [timeline.Activities]timeline.Activity{
	timeline.ActivityCommunicate, timeline.ActivityCopy, timeline.ActivityLock,
	timeline.ActivityWait, timeline.ActivityCompute, timeline.ActivitySleep,
}

// distributeBins sets the activity that each bin of a block shows, plus 1; 0 means no time. The
// number of bins of an activity is proportional to its time in the block, and at least one if it
// has any time. It gets the bins in which it has the largest share, and none in which it has no
// time. Each remaining bin shows the activity with the most time in it.
func distributeBins(sums []timeline.Sums, out []uint8) {
	var share [blockBins][timeline.Activities]float64
	var whole [timeline.Activities]float64 // in units of bins
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
	for _, a := range activityOrder {
		if whole[a] == 0 {
			continue
		}
		for n := max(int(whole[a]+0.5), 1); n > 0 && free > 0; n-- {
			best, maxShare := -1, 0.0
			for _, k := range binOrder {
				if k < len(sums) && out[k] == 0 && share[k][a] > maxShare {
					best, maxShare = k, share[k][a]
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
			out[k] = longestActivity(&sums[k])
		}
	}
}

// binOrder is the order in which bins with equal shares are chosen, so that the chosen bins are far
// apart.
var binOrder = [blockBins]int{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}

// longestActivity returns the activity with the most time, plus 1, or 0 if there is no time.
func longestActivity(s *timeline.Sums) uint8 {
	maxTime, at := cluster.Time(0), uint8(0)
	for a, t := range s {
		if t > maxTime {
			maxTime, at = t, uint8(a)+1
		}
	}
	return at
}

// bin returns the activity that bin n of row i shows, plus 1, or 0 if it is unknown or not computed
// yet.
func (r *laneRows) bin(i int, n int64) uint8 {
	if row := &r.all[i]; n >= row.first && n-row.first < int64(len(row.bins)) {
		return row.bins[n-row.first]
	}
	return 0
}

// endBin returns the number of the first bin after the visible ones. A row that is left for
// the next frame may end earlier, and all rows end at the same bin.
func (r *laneRows) endBin(s *frame) int64 {
	last := int64(math.MaxInt64)
	for i := s.top; i < s.top+s.rows; i++ {
		if row := &r.all[i]; len(row.bins) > 0 {
			last = min(last, row.knownEnd, row.first+int64(len(row.bins)))
		}
	}
	return last
}

// sums returns the time of each activity of row i between two times.
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
