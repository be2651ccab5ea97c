package job

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/safetext"
)

// Times of the end of a job.
const (
	greetTime   = 2 * time.Second        // a connection must send its greeting
	closeTime   = 3 * time.Second        // the launcher ends after the last snapshot
	lossTime    = 4 * time.Second        // the other processes find the loss of process 0
	orphanTime  = time.Second            // process 0 ends after the launcher
	stoppedTime = 100 * time.Millisecond // the launcher ends after a stop, and a user waits
	termTime    = 200 * time.Millisecond // the launcher ends after a signal
)

// front is a job as its front sees it.
type front struct {
	cmd       *exec.Cmd
	folder    string
	token     string
	listener  net.Listener
	output    tail
	snapshots chan *engine.Snapshot
	killed    chan struct{} // closed by Kill
	kills     sync.Once
	exited    chan struct{} // closed when the launcher has ended
	exit      error         // of the launcher

	// The reader writes these before it closes snapshots.
	complete bool  // the last snapshot has arrived
	broken   error // why the reader has given up

	mu      sync.Mutex // guards the fields below
	stopped bool       // the front has ordered a stop
	conn    net.Conn   // to process 0; nil: not connected
	pending []byte     // orders before the connection
}

// launch starts a launcher with a command line.
func launch(line []string, paused bool) (*front, error) {
	folder, err := os.MkdirTemp("", "hybridtop-") // only this user can read it
	if err != nil {
		return nil, err
	}
	f := &front{
		cmd: exec.Command(line[0], line[1:]...), folder: folder, token: rand.Text(),
		snapshots: make(chan *engine.Snapshot), killed: make(chan struct{}), exited: make(chan struct{}),
	}
	if paused {
		f.pending = append(f.pending, order(engine.Pause))
	}
	f.pending = append(f.pending, start)
	address := filepath.Join(folder, "front")
	if f.listener, err = net.Listen("unix", address); err != nil {
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

// Snapshots implements session.Relayed.
func (f *front) Snapshots() <-chan *engine.Snapshot { return f.snapshots }

// Order implements session.Relayed.
func (f *front) Order(v engine.Verb) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = f.stopped || v == engine.Stop
	if f.conn == nil {
		f.pending = append(f.pending, order(v))
		return
	}
	_, _ = f.conn.Write([]byte{order(v)}) // the reader finds a loss
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
	defer close(f.snapshots)
	conn, err := f.accept()
	if err != nil {
		return // the launcher has ended, or the front has killed the job
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
			select {
			case f.snapshots <- s:
			case <-f.killed:
				return
			}
			f.complete = k == last
		default:
			f.broken = fmt.Errorf("process 0: %w", errMessage)
			return
		}
	}
}

// accept waits for the connection of process 0, and sends it the pending orders.
func (f *front) accept() (net.Conn, error) {
	defer f.listener.Close()
	for {
		conn, err := f.listener.Accept()
		if err != nil {
			return nil, err
		}
		_ = conn.SetReadDeadline(time.Now().Add(greetTime))
		k, data, err := readMessage(conn, maxHello)
		var g greeting
		if err == nil && k == hello {
			c := codec.Decode(data)
			g.fields(c)
			err = c.End()
		}
		if err != nil || subtle.ConstantTimeCompare([]byte(g.token), []byte(f.token)) == 0 {
			conn.Close()
			continue
		}
		if g.program != thisProgram() {
			f.broken = fmt.Errorf("%s is version %q: want %q (build both programs from one commit)", programName,
				safetext.Clean(g.program), thisProgram())
			conn.Close()
			return nil, f.broken
		}
		_ = conn.SetReadDeadline(time.Time{})
		f.mu.Lock()
		defer f.mu.Unlock()
		f.conn = conn
		_, err = conn.Write(f.pending)
		return conn, err
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
