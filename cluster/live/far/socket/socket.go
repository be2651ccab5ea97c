//go:build unix

package socket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// maxRecord is the maximum length of a record in bytes.
const maxRecord = 1 << 30

// Transport carries frames and bodies through one socket per other process.
type Transport struct {
	process int
	links   []*link // nil at process
	arrived chan struct{}

	mu    sync.Mutex
	queue []arrival
	spare []arrival

	ends []error // of processes, which Poll returns one by one
	bodies
}

// arrival is a received record, or the end of a process.
type arrival struct {
	from   int
	record Record
	end    error
}

// link is the connection to another process, with frames that have not left.
type link struct {
	conn   net.Conn
	mu     sync.Mutex
	filled sync.Cond
	out    []byte
	closed bool
	writes sync.WaitGroup
}

// Pairs connects each two of n processes by a pair of sockets. files[i][k] is the end of process i of the
// pair with process k. files[i][i] is nil.
func Pairs(n int) (files [][]*os.File, err error) {
	files = make([][]*os.File, n)
	for i := range files {
		files[i] = make([]*os.File, n)
	}
	for i := range n {
		for k := range i {
			fd, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err != nil {
				for _, list := range files {
					closeAll(list)
				}
				return nil, fmt.Errorf("socket pair: %w", err)
			}
			syscall.CloseOnExec(fd[0])
			syscall.CloseOnExec(fd[1])
			files[i][k] = os.NewFile(uintptr(fd[0]), fmt.Sprintf("socket %d-%d", i, k))
			files[k][i] = os.NewFile(uintptr(fd[1]), fmt.Sprintf("socket %d-%d", k, i))
		}
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// New returns the transport of a process over its ends of the sockets. It closes the files.
func New(process int, files []*os.File) (*Transport, error) {
	defer closeAll(files)
	t := &Transport{process: process, links: make([]*link, len(files)), arrived: make(chan struct{}, 1),
		bodies: newBodies()}
	for k, f := range files {
		if k == process {
			continue
		}
		conn, err := net.FileConn(f)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("socket to process %d: %w", k, err), t.Close())
		}
		l := &link{conn: conn}
		l.filled.L = &l.mu
		t.links[k] = l
		l.writes.Go(l.write)
		go t.read(k, conn)
	}
	return t, nil
}

// Name implements far.Transport.
func (t *Transport) Name() string { return "Unix sockets" }

// Process implements far.Transport.
func (t *Transport) Process() int { return t.process }

// Processes implements far.Transport.
func (t *Transport) Processes() int { return len(t.links) }

// OnHost implements far.Transport.
func (t *Transport) OnHost() int { return len(t.links) }

// Send implements far.Transport.
func (t *Transport) Send(to int, head, body []byte) error {
	t.put(to, Frame, 0, head, body)
	return nil
}

// put sends a record that consists of two parts.
func (t *Transport) put(to int, kind Kind, key uint32, head, body []byte) {
	l := t.links[to]
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = binary.LittleEndian.AppendUint32(l.out, uint32(len(head)+len(body)))
	l.out = binary.LittleEndian.AppendUint32(append(l.out, byte(kind)), key)
	l.out = append(append(l.out, head...), body...)
	l.filled.Signal()
}

// write writes records to the socket. A broken socket is reported by its reader.
func (l *link) write() {
	var b []byte
	for {
		l.mu.Lock()
		for len(l.out) == 0 && !l.closed {
			l.filled.Wait()
		}
		b, l.out = l.out, b[:0]
		l.mu.Unlock()
		if len(b) == 0 {
			return
		}
		if _, err := l.conn.Write(b); err != nil {
			return
		}
	}
}

// read receives the records of a process.
func (t *Transport) read(from int, conn net.Conn) {
	for {
		record, err := readRecord(conn)
		t.mu.Lock()
		t.queue = append(t.queue, arrival{from, record, err})
		t.mu.Unlock()
		t.wake()
		if err != nil {
			return
		}
	}
}

// wake ends a wait in Idle.
func (t *Transport) wake() {
	select {
	case t.arrived <- struct{}{}:
	default:
	}
}

func readRecord(r io.Reader) (Record, error) {
	var head [9]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Record{}, err
	}
	n, x := binary.LittleEndian.Uint32(head[:]), Record{Kind: Kind(head[4]), Key: binary.LittleEndian.Uint32(head[5:])}
	if n > maxRecord || x.Kind >= kinds {
		return Record{}, fmt.Errorf("record of kind %d and %d B, want at most kind %d and %d B", x.Kind, n, kinds-1, maxRecord)
	}
	x.Data = make([]byte, n)
	_, err := io.ReadFull(r, x.Data)
	return x, err
}

// Take calls receive with each record that has arrived, and returns the number of records. Use it instead of Poll to
// pass records on.
func (t *Transport) Take(receive func(from int, r Record)) (int, error) {
	t.mu.Lock()
	list := t.queue
	t.queue, t.spare = t.spare[:0], list
	t.mu.Unlock()
	for i, a := range list {
		if a.end == nil {
			receive(a.from, a.record)
		} else {
			t.ends = append(t.ends, &far.Lost{Process: a.from, Cause: a.end})
		}
		list[i] = arrival{}
	}
	if len(t.ends) == 0 {
		return len(list), nil
	}
	err := t.ends[0]
	t.ends = t.ends[1:]
	return len(list), err
}

// Idle implements far.Transport.
func (t *Transport) Idle(most time.Duration) {
	wait := time.NewTimer(most)
	defer wait.Stop()
	select {
	case <-t.arrived:
	case <-wait.C:
	}
}

// Close implements far.Transport.
func (t *Transport) Close() error {
	var all []error
	for _, l := range t.links {
		if l == nil {
			continue
		}
		l.mu.Lock()
		l.closed = true
		l.filled.Signal()
		l.mu.Unlock()
		l.writes.Wait()
		all = append(all, l.conn.Close())
	}
	return errors.Join(all...)
}
