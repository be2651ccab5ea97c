package job

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/live/far"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
)

// reportEvery is the interval between snapshots for the front.
const reportEvery = 50 * time.Millisecond

var errFront = errors.New("the front has ended")

// reporter is the connection of process 0 to the front.
type reporter struct {
	conn    net.Conn
	job     *far.Job
	fabric  *live.Fabric
	encoder engine.Encoder
	sent    time.Duration // of the last sample
	seq     uint64        // of the last snapshot
	lost    chan struct{} // closed when the front has ended

	mu    sync.Mutex
	times [][]byte // access times that the front does not have yet
}

// Launched implements engine.Observer.
func (*reporter) Launched(*engine.Launch) {}

// Published implements engine.Observer.
func (*reporter) Published(*engine.Snapshot) {}

// Timed implements engine.Observer.
func (r *reporter) Timed(l *engine.Latencies) {
	b, err := session.EncodeTimes(l)
	if err != nil {
		return // the recording lacks this interval
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times = append(r.times, b)
}

// Ended implements engine.Observer.
func (*reporter) Ended(*engine.Outcome) {}

// Commanded implements engine.Observer.
func (*reporter) Commanded(engine.Command, time.Duration, error) {}

// Over implements engine.Observer.
func (*reporter) Over() {}

// hasFront reports whether a front has started this job.
func hasFront() bool { return os.Getenv(socketVariable) != "" }

// attach connects process 0 to the front. It returns nil in other processes, and if no front has started the job.
func attach(j *far.Job, f *live.Fabric) (*reporter, error) {
	if j.Process() != 0 || !hasFront() {
		return nil, nil
	}
	network, address := frontAddress()
	conn, err := net.DialTimeout(network, address, dialTime)
	if err != nil {
		return nil, fmt.Errorf("front: %w (does process 0 run on another host? use --front ADDRESS:0)", err)
	}
	c := codec.Encode(nil)
	(&greeting{os.Getenv(tokenVariable), thisProgram()}).fields(c)
	if err := writeMessage(conn, hello, c.Bytes()); err != nil {
		return nil, fmt.Errorf("front: %w", err)
	}
	return &reporter{conn: conn, job: j, fabric: f, lost: make(chan struct{})}, nil
}

// dialTime is the time that the front has to accept a connection.
const dialTime = 10 * time.Second

// frontAddress returns the network and the address of the front's socket.
func frontAddress() (network, address string) {
	text := os.Getenv(socketVariable)
	if address, ok := strings.CutPrefix(text, overTCP); ok {
		return "tcp", address
	}
	return "unix", text
}

// removeSocket removes the socket and the folder of a front that has ended without doing so.
func removeSocket() {
	network, address := frontAddress()
	if network != "unix" {
		return
	}
	_ = os.Remove(address)
	_ = os.Remove(filepath.Dir(address)) // only if it is empty
}

// refuse sends the reason why the run cannot start.
func (r *reporter) refuse(reason error) { _ = writeMessage(r.conn, refusal, []byte(reason.Error())) }

// follow runs a session under the orders of the front, and sends its snapshots. It returns the failure of the run,
// or an error if the front has ended.
func (r *reporter) follow(ctx context.Context, s *session.Session, j *far.Job) error {
	defer r.conn.Close()
	started := make(chan struct{})
	go r.obey(s, started)
	select {
	case <-started:
	case <-r.lost:
		removeSocket()
		return errFront
	}
	s.Start(ctx)
	ticker := time.NewTicker(reportEvery)
	defer ticker.Stop()
	var broken error
	for broken == nil {
		select {
		case <-ticker.C:
			if snap := s.Load(); snap.Seq != r.seq {
				broken = r.send(snapshot, snap)
			}
			continue
		case <-s.Done():
		}
		break
	}
	if broken != nil {
		_ = s.Stop()
	}
	failed := s.Wait()
	select {
	case <-r.lost:
		broken = errFront
		removeSocket()
	default:
		if broken != nil {
			break
		}
		end := *s.Load()
		if failed == nil && ctx.Err() != nil { // the launcher ends the job
			failed = interrupted(j, &end.Layout)
			end.Phase, end.Failure = engine.Failed, failed.Error()
		}
		broken = r.send(last, &end)
	}
	return errors.Join(broken, failed)
}

// obey executes the orders of the front until the connection ends. Then it stops the session.
func (r *reporter) obey(s *session.Session, started chan struct{}) {
	in := bufio.NewReader(r.conn)
	begun := false
	for {
		order, err := in.ReadByte()
		if err != nil || int(order) >= len(verbs) || order == start && begun {
			close(r.lost)
			_ = s.Do(engine.Command{Verb: engine.Stop})
			return
		}
		if order == start {
			begun = true
			close(started)
			continue
		}
		_ = s.Do(engine.Command{Verb: verbs[order]}) // the session may have ended
	}
}

// send sends a snapshot with the samples that the front does not have, after the access times. The front has the tables
// of studies.
func (r *reporter) send(k kind, s *engine.Snapshot) error {
	r.mu.Lock()
	waiting := r.times
	r.times = nil
	r.mu.Unlock()
	for _, b := range waiting {
		if err := writeMessage(r.conn, times, b); err != nil {
			return err
		}
	}
	c := *s
	from := sort.Search(len(s.Series), func(i int) bool { return s.Series[i].At > r.sent })
	c.Series = slices.Clip(s.Series[from:])
	c.Marks, c.Studies, c.Job = nil, nil, descriptionOf(r.job, r.fabric)
	if n := len(s.Series); n > 0 {
		r.sent = s.Series[n-1].At
	}
	r.seq = s.Seq
	return writeMessage(r.conn, k, r.encoder.Append(nil, &c))
}
