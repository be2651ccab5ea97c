package far

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster/host"
)

// newChild starts a process that waits, and returns its identity.
func newChild(t *testing.T) (*exec.Cmd, host.Process) {
	t.Helper()
	cmd := exec.Command("cat")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	p, err := host.ProcessOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, p
}

// signal sends a signal to a process, and waits until it is not alive.
func signal(t *testing.T, cmd *exec.Cmd, p host.Process, s syscall.Signal) {
	t.Helper()
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); p.Alive(); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %v is alive after %v", p, s)
		}
	}
}

// pausing is a transport to a process that sends its identity, and is then silent. The beats begin when the identity
// has arrived, so that a slow test does not lose the process before.
type pausing struct {
	script
	mu     sync.Mutex
	alive  int // number of sent identities and beats
	pause  int // the other process begins the run after this number; 0: never
	polled chan struct{}
	once   sync.Once
	began  chan struct{}
}

func newPausing(identity string, pause int) *pausing {
	return &pausing{script: script{frames: [][]byte{identityFrame(identity)}}, pause: pause, polled: make(chan struct{}),
		began: make(chan struct{})}
}

// Send implements Transport. The last beat of the pause ends when the run has begun.
func (p *pausing) Send(_ int, head, _ []byte) error {
	if Kind(head[0]) != kindAlive {
		return nil
	}
	p.mu.Lock()
	p.alive++
	n := p.alive
	if n == p.pause {
		p.frames = append(p.frames, control(kindStart, `{"digest":7,"host":"a"}`))
	}
	p.mu.Unlock()
	if n > 1 {
		<-p.polled
	}
	if n == p.pause {
		<-p.began
	}
	return nil
}

// Poll implements Transport.
func (p *pausing) Poll(receive func(from int, frame []byte)) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.script.Poll(receive)
	if n > 0 {
		p.once.Do(func() { close(p.polled) })
	}
	return n, err
}

// TestSilentProcessThatIsAlive checks the number of beats after which a silent process is lost. It may be silent for longer
// only if it is alive on this host.
func TestSilentProcessThatIsAlive(t *testing.T) {
	const short, long = "no frame in 12ms", "no frame in 120ms, although process id "
	_, alive := newChild(t)
	stopping, stopped := newChild(t)
	signal(t, stopping, stopped, syscall.SIGSTOP)
	killing, killed := newChild(t)
	signal(t, killing, killed, syscall.SIGKILL) // this test reaps it later
	ending, ended := newChild(t)
	signal(t, ending, ended, syscall.SIGKILL)
	_ = ending.Wait()
	for name, c := range map[string]struct{ identity, want string }{
		"alive":              {alive.String(), long},
		"stopped":            {stopped.String(), short},
		"killed, a zombie":   {killed.String(), short},
		"ended":              {ended.String(), short},
		"on another host":    {elsewhere, short},
		"an earlier process": {alive.String() + "0", short}, // with another start
	} {
		t.Run(name, func(t *testing.T) {
			j := join(newPausing(c.identity, 0), time.Millisecond)
			err := j.Next(sink{make(chan error, 9)}, 7, "here").Begin(t.Context(), nil)
			var l *Lost
			if !errors.As(err, &l) || l.Process != 1 || !strings.HasPrefix(l.Cause.Error(), c.want) ||
				strings.Contains(err.Error(), "process id") != (c.want == long) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if err := j.Close(); !errors.As(err, &l) {
				t.Errorf("the job closes with %v", err)
			}
		})
	}
}

// TestProcessWithPause checks that a process on this host may be silent for 20 beats, 5 s of a real job.
func TestProcessWithPause(t *testing.T) {
	me, err := host.ProcessOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	x := newPausing(me.String(), 1+20)
	j := join(x, 5*time.Millisecond)
	if err := j.Next(sink{make(chan error, 9)}, 7, "here").Begin(t.Context(), nil); err != nil {
		t.Errorf("a process was silent for 20 beats: %v", err)
	}
	close(x.began)
	j.depart(1)
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}
