package cluster

// Of says which call waits: a message's peer and tag stand where its kind has them.
func (w *Wait) Of(k Kind, peer, tag int32, bytes int64) {
	w.Kind, w.Peer, w.Tag = k, -1, -1
	if k.HasPeer() {
		w.Peer = max(int(peer), -1)
	}
	switch k {
	case KindSend, KindSsend:
		w.Tag, w.Bytes = int(tag), bytes
	case KindRecv, KindProbe, KindMprobe, KindMrecv:
		w.Tag = max(int(tag), -1)
	}
}

// Circle is a shortest circle of ranks that wait for each other, from its lowest rank on;
// nil: there is none, as where ranks wait for one that has ended.
func Circle(waits []Wait) []int {
	next := map[int][]int{}
	var ranks []int // in the order of the waits
	for i := range waits {
		w := &waits[i]
		if _, seen := next[w.Rank]; !seen {
			ranks = append(ranks, w.Rank)
		}
		next[w.Rank] = append(next[w.Rank], w.For...)
	}
	var best []int
	for _, from := range ranks {
		if c := circleFrom(from, next, len(best)); c != nil {
			best = c
		}
		if len(best) == 1 || len(best) == 2 {
			break // there is none shorter that tells more
		}
	}
	lowest := 0
	for i, r := range best {
		if r < best[lowest] {
			lowest = i
		}
	}
	return append(best[lowest:len(best):len(best)], best[:lowest]...)
}

// circleFrom is a shortest circle through a rank that is shorter than some; 0: however
// long it is.
func circleFrom(from int, next map[int][]int, shorter int) []int {
	type step struct{ rank, before int }
	steps, seen := []step{{from, -1}}, map[int]bool{}
	for i := 0; i < len(steps); i++ {
		for _, to := range next[steps[i].rank] {
			if to == from {
				var back []int
				for k := i; k >= 0; k = steps[k].before {
					back = append(back, steps[k].rank)
				}
				if shorter > 0 && len(back) >= shorter {
					return nil
				}
				for a, b := 0, len(back)-1; a < b; a, b = a+1, b-1 {
					back[a], back[b] = back[b], back[a]
				}
				return back
			}
			if _, waits := next[to]; waits && !seen[to] {
				seen[to] = true
				steps = append(steps, step{to, i})
			}
		}
	}
	return nil
}

// Hint says what ends a deadlock, as far as its waits tell; "": nothing in particular.
func (a *Abort) Hint() string {
	if a.Reason != ReasonDeadlock {
		return ""
	}
	if sendsInACircle(a.Waits) {
		return sendHint
	}
	stuck, kinds := map[int]bool{}, map[Kind]int{}
	for i := range a.Waits {
		stuck[a.Waits[i].Rank] = true
		kinds[a.Waits[i].Kind]++
	}
	for i := range a.Waits {
		if w := &a.Waits[i]; len(w.For) == 1 && !w.Any && !stuck[w.For[0]] {
			return "a wait for a rank that has ended, or goes on without it, has no end: the number of calls on both sides differs"
		}
	}
	switch n := len(a.Waits); {
	case n > 0 && kinds[KindRecv] == n:
		return "each receives before it sends: let one side send first, post the receives first (Irecv), or use Sendrecv"
	case n > 0 && kinds[KindSsend] == n:
		return "a synchronous send returns only when its receive has started: let one side receive first, or use Sendrecv"
	case kinds[KindBarrier] > 0:
		return "a barrier or a collective call ends only when every rank of its team makes it: some wait elsewhere"
	}
	return ""
}
