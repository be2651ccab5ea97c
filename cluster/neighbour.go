package cluster

// SyncNeighbours is a barrier among neighbours (the group synchronization of paper 3). It returns
// when every peer, a number in the team, has entered a call that lists the caller. Lists are
// symmetric: a member is in its peer's list as often as the peer is in its own. The caller ignores
// itself in the list, as in a periodic direction with one box.
func (r *Rank) SyncNeighbours(t *Team, peers []int) error {
	const call = "neighbour sync"
	for _, p := range peers {
		if _, err := r.peer(call, "with", t, p); err != nil {
			return err
		}
	}
	if err := r.member(call, t); err != nil {
		return err
	}
	if err := r.enterAlone(call, t); err != nil {
		return err
	}
	defer func() { r.release(t); r.leave() }()
	if err := r.notices(call, t, tagNeighbour, peers); err != nil {
		return err
	}
	return r.noticed(call, t, tagNeighbour, peers)
}

// notices sends an empty message to each peer except the caller.
func (r *Rank) notices(call string, t *Team, tag int32, peers []int) error {
	for _, p := range peers {
		if p == int(t.me) {
			continue
		}
		// An empty message is always eager, so this send never waits for a receive.
		if err := r.send(call, t, p, tag, Data{}); err != nil {
			return err
		}
	}
	return nil
}

// noticed receives an empty message from each peer except the caller.
func (r *Rank) noticed(call string, t *Team, tag int32, peers []int) error {
	for _, p := range peers {
		if p == int(t.me) {
			continue
		}
		if err := r.recv(call, t, p, tag, Data{}); err != nil {
			return err
		}
	}
	return nil
}
