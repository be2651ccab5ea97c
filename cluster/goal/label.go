package goal

import "fmt"

// numberOf returns the number n of a label ln without leading zeros, and whether the label
// has this form.
func (p *parser) numberOf(label []byte) (int, bool) {
	if label[0] != 'l' || len(label) < 2 || len(label) > 9 || label[1] == '0' {
		return 0, false
	}
	n := 0
	for _, c := range label[1:] {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n < MaxOps
}

// define gives the label to the next operation.
func (p *parser) define(label []byte) error {
	if _, is := kindOf(label); is {
		return fmt.Errorf("%s is not a label", string(label))
	}
	if !p.tryDefine(label) {
		return fmt.Errorf("label %s a second time", string(label))
	}
	return nil
}

// tryDefine does the same. It reports false if the label is in use, or a keyword.
func (p *parser) tryDefine(label []byte) bool {
	if _, is := kindOf(label); is || p.lookup(label) >= 0 {
		return false
	}
	n, is := p.numberOf(label)
	if !is || n >= len(p.numbered)+1024 {
		p.others.add(label, p.ops)
		return true
	}
	if n >= len(p.numbered) {
		p.numbered = append(p.numbered, make([]int32, n+1-len(p.numbered))...)
	}
	p.numbered[n] = p.ops + 1
	return true
}

// resolve returns the operation of a label, or an error.
func (p *parser) resolve(label []byte) (int32, error) {
	if op := p.lookup(label); op >= 0 {
		return op, nil
	}
	return 0, fmt.Errorf("label %s is not defined before", string(label))
}

// lookup returns the operation of a label, or −1.
func (p *parser) lookup(label []byte) int32 {
	if n, is := p.numberOf(label); is && n < len(p.numbered) && p.numbered[n] != 0 {
		return p.numbered[n] - 1
	}
	return p.others.find(label)
}

// labels is a hash table of the labels of one rank. Its text is one slice.
type labels struct {
	text  []byte
	all   []labelled
	slots []int32 // indices of all, + 1; a power of two, at least twice as many
}

type labelled struct {
	hash     uint32
	from, to int32 // in text
	op       int32
}

// reset deletes all labels.
func (l *labels) reset() {
	clear(l.slots)
	l.text, l.all = l.text[:0], l.all[:0]
}

// hashOf returns the FNV-1a hash of a label.
func hashOf(label []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range label {
		h = (h ^ uint32(c)) * 16777619
	}
	return h ^ h>>15
}

// find returns the operation of a label, or −1.
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

// add adds a label that the table does not have.
func (l *labels) add(label []byte, op int32) {
	from := int32(len(l.text))
	l.text = append(l.text, label...)
	l.all = append(l.all, labelled{hash: hashOf(label), from: from, to: int32(len(l.text)), op: op})
	if 2*len(l.all) <= len(l.slots) {
		l.insert(len(l.all))
		return
	}
	l.slots = make([]int32, max(64, 2*len(l.slots)))
	for i := range l.all {
		l.insert(i + 1)
	}
}

// insert puts label n, counted from 1, into a free slot.
func (l *labels) insert(n int) {
	mask := uint32(len(l.slots) - 1)
	i := l.all[n-1].hash & mask
	for ; l.slots[i] != 0; i = (i + 1) & mask {
	}
	l.slots[i] = int32(n)
}
