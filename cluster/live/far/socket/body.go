//go:build unix

package socket

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// Kind is the type of a record.
type Kind uint8

// The types of records.
const (
	Frame Kind = iota // a frame
	Body              // the body Key
	Taken             // acknowledges the body Key
	kinds
)

// Record is a frame, a body or its acknowledgement.
type Record struct {
	Kind Kind
	Key  uint32
	Data []byte
}

// id identifies a body from or to a process.
type id struct {
	process int
	key     uint32
}

// bodies are the bodies on their way. The transport's lock guards them.
type bodies struct {
	came     map[id][]byte // arrived, and not received yet
	expected map[id]expected
	leaving  map[id]far.Completion
	complete []far.Completion // for the next Poll
}

// expected is a body that is received, and has not arrived.
type expected struct {
	b        []byte
	received far.Completion
}

func newBodies() bodies {
	return bodies{came: map[id][]byte{}, expected: map[id]expected{}, leaving: map[id]far.Completion{}}
}

// Put sends a record.
func (t *Transport) Put(to int, r Record) { t.put(to, r.Kind, r.Key, r.Data, nil) }

// SendBody implements far.Transport.
func (t *Transport) SendBody(to int, key uint32, b []byte, sent far.Completion) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leaving[id{to, key}] = sent
	t.put(to, Body, key, b, nil)
	return nil
}

// ReceiveBody implements far.Transport.
func (t *Transport) ReceiveBody(from int, key uint32, b []byte, received far.Completion) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := id{from, key}
	data, ok := t.came[n]
	if !ok {
		t.expected[n] = expected{b, received}
		return nil
	}
	delete(t.came, n)
	defer t.wake()
	return t.fill(n, expected{b, received}, data)
}

// fill copies a body into the buffer of its receiver, and acknowledges it. The caller holds mu.
func (t *Transport) fill(n id, e expected, data []byte) error {
	if len(data) != len(e.b) {
		return fmt.Errorf("body %d of process %d: %d B, want %d B", n.key, n.process, len(data), len(e.b))
	}
	copy(e.b, data)
	t.put(n.process, Taken, n.key, nil, nil)
	t.complete = append(t.complete, e.received)
	return nil
}

// Poll implements far.Transport.
func (t *Transport) Poll(receive func(from int, frame []byte)) (int, error) {
	var damage error
	n, err := t.Take(func(from int, r Record) {
		if r.Kind == Frame {
			receive(from, r.Data)
		} else if e := t.arrive(from, r); e != nil {
			damage = e
		}
	})
	if damage != nil {
		return n, damage
	}
	t.mu.Lock()
	list := t.complete
	t.complete = nil
	t.mu.Unlock()
	for _, c := range list {
		c.Complete()
	}
	return n + len(list), err
}

// arrive processes a body, or an acknowledgement.
func (t *Transport) arrive(from int, r Record) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := id{from, r.Key}
	if r.Kind == Taken {
		sent, ok := t.leaving[n]
		if !ok {
			return fmt.Errorf("process %d has received an unknown body %d", from, r.Key)
		}
		delete(t.leaving, n)
		t.complete = append(t.complete, sent)
		return nil
	}
	e, ok := t.expected[n]
	if !ok {
		t.came[n] = r.Data
		return nil
	}
	delete(t.expected, n)
	return t.fill(n, e, r.Data)
}
