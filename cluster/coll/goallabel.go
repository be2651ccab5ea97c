package coll

import "fmt"

// plainOf is the number n of a label ln without leading zeros, if that is not much
// beyond how many operations there are.
func (g *goal) plainOf(label []byte) (int, bool) {
	if label[0] != 'l' || len(label) < 2 || len(label) > 9 || label[1] == '0' {
		return 0, false
	}
	n := 0
	for _, c := range label[1:] {
		if !figure(c) {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n < MostGoalOps
}

// define says that the label is of the next operation.
func (g *goal) define(label []byte) error {
	if _, is := kindOfGoal(label); is {
		return fmt.Errorf("%s is no label", string(label))
	}
	if !g.defines(label) {
		return fmt.Errorf("label %s a second time", string(label))
	}
	return nil
}

// defines does so; false: it is another one's, or a word.
func (g *goal) defines(label []byte) bool {
	if _, is := kindOfGoal(label); is || g.known(label) >= 0 {
		return false
	}
	n, is := g.plainOf(label)
	if !is || n >= len(g.plain)+1024 {
		g.others.add(label, g.ops)
		return true
	}
	if n >= len(g.plain) {
		g.plain = append(g.plain, make([]int32, n+1-len(g.plain))...)
	}
	g.plain[n] = g.ops + 1
	return true
}

// resolve gives the operation of a label.
func (g *goal) resolve(label []byte) (int32, error) {
	if op := g.known(label); op >= 0 {
		return op, nil
	}
	return 0, fmt.Errorf("label %s is not defined before", string(label))
}

// known is the operation of a label; −1: there is none.
func (g *goal) known(label []byte) int32 {
	if n, is := g.plainOf(label); is && n < len(g.plain) && g.plain[n] != 0 {
		return g.plain[n] - 1
	}
	return g.others.find(label)
}

// labels is a hash table of the labels of one rank, whose letters stand in one piece.
type labels struct {
	text  []byte
	all   []labelled
	slots []int32 // of all, + 1; a power of two, at least twice as many
}

type labelled struct {
	hash     uint32
	from, to int32 // in text
	op       int32
}

func (l *labels) forget() {
	clear(l.slots)
	l.text, l.all = l.text[:0], l.all[:0]
}

// hashOf is FNV-1a.
func hashOf(label []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range label {
		h = (h ^ uint32(c)) * 16777619
	}
	return h ^ h>>15
}

// find gives the operation of a label, −1: there is none.
func (l *labels) find(label []byte) int32 {
	if len(l.all) == 0 {
		return -1
	}
	h, mask := hashOf(label), uint32(len(l.slots)-1)
	for i := h & mask; l.slots[i] != 0; i = (i + 1) & mask {
		if e := &l.all[l.slots[i]-1]; e.hash == h && string(l.text[e.from:e.to]) == string(label) {
			return e.op
		}
	}
	return -1
}

// add adds a label that is not there.
func (l *labels) add(label []byte, op int32) {
	from := int32(len(l.text))
	l.text = append(l.text, label...)
	l.all = append(l.all, labelled{hashOf(label), from, int32(len(l.text)), op})
	if 2*len(l.all) <= len(l.slots) {
		l.enter(len(l.all))
		return
	}
	l.slots = make([]int32, max(64, 2*len(l.slots)))
	for i := range l.all {
		l.enter(i + 1)
	}
}

func (l *labels) enter(n int) {
	mask := uint32(len(l.slots) - 1)
	i := l.all[n-1].hash & mask
	for ; l.slots[i] != 0; i = (i + 1) & mask {
	}
	l.slots[i] = int32(n)
}
