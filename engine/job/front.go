package job

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/safetext"
)

// Times of the end of a job.
const (
	closeTime   = 3 * time.Second        // the launcher ends after the last snapshot
	lossTime    = 4 * time.Second        // the other processes find the loss of process 0
	orphanTime  = time.Second            // process 0 ends after the launcher
	stoppedTime = 100 * time.Millisecond // the launcher ends after a stop, and a user waits
	termTime    = 200 * time.Millisecond // the launcher ends after a signal
)

// front is a job as its front sees it.
type front struct {
	cmd      *exec.Cmd
	folder   string
	token    string
	listener net.Listener
	refused  atomic.Int64 // connections that were closed, because they did not send the token
	output   tail
	reports  chan session.Report
	killed   chan struct{} // closed by Kill
	kills    sync.Once
	exited   chan struct{} // closed when the launcher has ended
	exit     error         // of the launcher

	// The reader writes these before it closes reports.
	complete bool  // the last snapshot has arrived
	broken   error // why the reader has given up

	mu      sync.Mutex // guards the fields below
	stopped bool       // the front has ordered a stop
	conn    net.Conn   // to process 0; nil: not connected
	pending []byte     // orders that are not written

	ordered chan struct{} // has an element if there may be pending orders
}

// maxPending is the maximum number of orders that process 0 has not read, apart from those in the socket. A suspended
// process reads none.
const maxPending = 1024

// launch starts a launcher with a command line. Process 0 connects to a TCP address of this host, or to a Unix socket if
// it is "".
func launch(line []string, paused bool, host string) (*front, error) {
	folder, err := os.MkdirTemp("", "hybridtop-") // only this user can read it
	if err != nil {
		return nil, err
	}
	f := &front{
		cmd: exec.Command(line[0], line[1:]...), folder: folder, token: rand.Text(),
		reports: make(chan session.Report), killed: make(chan struct{}), exited: make(chan struct{}),
		ordered: make(chan struct{}, 1),
	}
	if paused {
		f.pending = append(f.pending, order(engine.Pause))
	}
	f.pending = append(f.pending, start)
	address := filepath.Join(folder, "front")
	if host != "" {
		if f.listener, err = net.Listen("tcp", host); err == nil {
			address = overTCP + f.listener.Addr().String()
		}
	} else {
		f.listener, err = net.Listen("unix", address)
	}
	if err != nil {
		os.RemoveAll(folder)
		return nil, fmt.Errorf("socket for the job: %w", err)
	}
	f.cmd.Env = append(os.Environ(), socketVariable+"="+address, tokenVariable+"="+f.token)
	f.cmd.Stdout, f.cmd.Stderr = &f.output, &f.output
	f.cmd.WaitDelay = termTime // processes of the job may keep the pipes open
	separate(f.cmd)
	if err := f.cmd.Start(); err != nil {
		f.listener.Close()
		os.RemoveAll(folder)
		return nil, fmt.Errorf("launcher: %w", err)
	}
	go func() {
		f.exit = f.cmd.Wait()
		close(f.exited)
		f.listener.Close()
		select {
		case <-f.killed:
		case <-time.After(orphanTime): // process 0 has sent its last snapshot
		}
		f.disconnect()
	}()
	go f.read()
	return f, nil
}

// order returns the order of a verb.
func order(v engine.Verb) byte { return byte(slices.Index(verbs, v)) }

// Reports implements session.Relayed.
func (f *front) Reports() <-chan session.Report { return f.reports }

// Order implements session.Relayed. It drops an order if process 0 has not read maxPending others.
func (f *front) Order(v engine.Verb) {
	f.mu.Lock()
	f.stopped = f.stopped || v == engine.Stop
	if len(f.pending) < maxPending {
		f.pending = append(f.pending, order(v))
	}
	f.mu.Unlock()
	select {
	case f.ordered <- struct{}{}:
	default:
	}
}

// write writes the pending orders until the connection ends or the job is killed.
func (f *front) write(conn net.Conn) {
	for {
		f.mu.Lock()
		orders := f.pending
		f.pending = nil
		f.mu.Unlock()
		if _, err := conn.Write(orders); err != nil {
			return // the reader finds the loss
		}
		select {
		case <-f.ordered:
		case <-f.killed:
			return
		}
	}
}

// Kill implements session.Relayed. Process 0 also ends the job when the connection ends.
func (f *front) Kill() {
	f.kills.Do(func() {
		close(f.killed)
		f.disconnect()
	})
}

func (f *front) disconnect() {
	f.listener.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conn != nil {
		f.conn.Close()
	}
}

// read receives the messages of process 0.
func (f *front) read() {
	defer close(f.reports)
	conn := f.accept()
	if conn == nil {
		return // the launcher has ended, or the front has killed the job, or the program is another one
	}
	defer conn.Close()
	var d engine.Decoder
	for !f.complete {
		k, data, err := readMessage(conn, maxMessage)
		if err != nil {
			if errors.Is(err, errMessage) {
				f.broken = err
			}
			return
		}
		switch k {
		case refusal:
			f.broken = errors.New(safetext.Clean(string(data)))
			return
		case snapshot, last:
			s, err := d.Decode(data)
			if err != nil {
				f.broken = fmt.Errorf("process 0: %w", err)
				return
			}
			if n := f.refused.Load(); n > 0 {
				s.Warnings = append(s.Warnings, fmt.Sprintf("%d connections to the front without the token were closed", n))
			}
			if !f.pass(session.Report{Snapshot: s}) {
				return
			}
			f.complete = k == last
		case times:
			if !f.pass(session.Report{Times: data}) {
				return
			}
		default:
			f.broken = fmt.Errorf("process 0: %w", errMessage)
			return
		}
	}
}

// pass passes a report on, and reports false if the front has killed the job.
func (f *front) pass(x session.Report) bool {
	select {
	case f.reports <- x:
		return true
	case <-f.killed:
		return false
	}
}

// Wait implements session.Relayed.
func (f *front) Wait() error {
	patience := lossTime
	if f.complete {
		patience = closeTime
	}
	f.mu.Lock()
	if f.stopped {
		patience = stoppedTime
	}
	f.mu.Unlock()
	select {
	case <-f.exited:
	case <-f.killed:
	case <-time.After(patience):
	}
	f.Kill()
	f.end()
	os.RemoveAll(f.folder)
	switch {
	case f.broken != nil:
		return f.broken
	case f.complete:
		return nil
	}
	text := "the job has ended without a result"
	if f.exit != nil {
		text += ": launcher: " + f.exit.Error()
	}
	if n := f.refused.Load(); n > 0 {
		text += fmt.Sprintf("; %d connections without the token were closed", n)
	}
	if lines := f.output.lines(); lines != "" {
		text += "; its last lines:\n" + lines
	}
	return errors.New(text)
}

// end ends the launcher if it still runs, and then its process group.
func (f *front) end() {
	select {
	case <-f.exited:
		if !f.complete {
			kill(f.cmd) // processes that the launcher has left behind
		}
		return
	default:
	}
	end(f.cmd)
	select {
	case <-f.exited:
	case <-time.After(termTime):
		kill(f.cmd)
		<-f.exited
	}
}

// Limits of the output that an error shows.
const (
	maxTail  = 4 << 10
	maxLines = 12
)

// tail is a writer that stores the last bytes.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if n := len(t.text) - maxTail; n > 0 {
		t.text = append(t.text[:0], t.text[n:]...)
	}
	return len(b), nil
}

// lines returns the last lines without control characters.
func (t *tail) lines() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for line := range strings.Lines(string(t.text)) {
		if line = strings.TrimRight(safetext.Clean(strings.TrimRight(line, "\r\n")), " "); line != "" {
			all = append(all, line)
		}
	}
	return strings.Join(all[max(0, len(all)-maxLines):], "\n")
}
