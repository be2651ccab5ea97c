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

// maxFrame is the maximum length of a frame in bytes.
const maxFrame = 1 << 30

// Transport carries frames through one socket per other process.
type Transport struct {
	process int
	links   []*link // nil at process
	arrived chan struct{}

	mu    sync.Mutex
	queue []arrival
	spare []arrival

	ends []error // of processes, which Poll returns one by one
}

// arrival is a received frame, or the end of a process.
type arrival struct {
	from  int
	frame []byte
	end   error
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
	t := &Transport{process: process, links: make([]*link, len(files)), arrived: make(chan struct{}, 1)}
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

// Send implements far.Transport.
func (t *Transport) Send(to int, head, body []byte) error {
	l := t.links[to]
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = binary.LittleEndian.AppendUint32(l.out, uint32(len(head)+len(body)))
	l.out = append(append(l.out, head...), body...)
	l.filled.Signal()
	return nil
}

// write writes frames to the socket. A broken socket is reported by its reader.
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

// read receives the frames of a process.
func (t *Transport) read(from int, conn net.Conn) {
	for {
		frame, err := readFrame(conn)
		t.mu.Lock()
		t.queue = append(t.queue, arrival{from, frame, err})
		t.mu.Unlock()
		select {
		case t.arrived <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func readFrame(r io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > maxFrame {
		return nil, fmt.Errorf("frame of %d B, want at most %d B", n, maxFrame)
	}
	b := make([]byte, n)
	_, err := io.ReadFull(r, b)
	return b, err
}

// Poll implements far.Transport.
func (t *Transport) Poll(receive func(from int, frame []byte)) (int, error) {
	t.mu.Lock()
	list := t.queue
	t.queue, t.spare = t.spare[:0], list
	t.mu.Unlock()
	for i, a := range list {
		if a.end == nil {
			receive(a.from, a.frame)
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
