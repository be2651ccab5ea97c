package far

import (
	"fmt"
	"os"
	"time"

	"github.com/hybridtop/hybridtop/cluster/host"
)

// A process sends a frame at every beat. A process without a frame for the maximum number of beats is lost. A beat
// waits behind a long frame, so a process announces it, and may be silent while it arrives.
//
// A busy host may not run a process for seconds: 2.6 s were measured. Therefore a process may be silent for ten times
// as long if it is alive on this host. Then it is lost only if it hangs.
const (
	beatTime    = 250 * time.Millisecond
	maxSilence  = 12      // beats
	maxUnheard  = 120     // beats, of a process that is alive on this host
	longFrame   = 4 << 20 // bytes; longer frames are announced
	maxLong     = MaxData + 1<<20
	perBeat     = 1 << 20 // bytes that arrive between two beats on the slowest network
	maxIdentity = 128     // bytes
)

// identify sends the identity of this process, if the system has one. It is the first frame of the job.
func (j *Job) identify() {
	if p, err := host.ProcessOf(os.Getpid()); err == nil {
		j.sendToAll(&Frame{Kind: kindAlive, Data: []byte(p.String())})
	}
}

// meet stores the identity of another process. Each process sends it once.
func (j *Job) meet(from int, identity []byte) error {
	if len(identity) > maxIdentity {
		return fmt.Errorf("%w: identity of %d B, want at most %d B", errFrame, len(identity), maxIdentity)
	}
	p, err := host.ParseProcess(string(identity))
	if err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	if !j.peers[from].CompareAndSwap(nil, &p) {
		return fmt.Errorf("%w: a second identity %s", errFrame, p)
	}
	return nil
}

// silence returns a limit of the beats without a frame, plus the beats in which the announced frames of a process
// arrive.
func (j *Job) silence(process, limit int) int {
	return limit + int(max(j.coming[process].Load(), 0)/perBeat)
}

// overdue returns the error of a process that sent no frame for a number of beats, or nil if it is not lost.
func (j *Job) overdue(process, beats int, every time.Duration) error {
	if beats < j.silence(process, maxSilence) {
		return nil
	}
	cause := fmt.Errorf("no frame in %v", time.Duration(beats)*every)
	if p := j.peers[process].Load(); p != nil && p.Alive() {
		if beats < j.silence(process, maxUnheard) {
			return nil
		}
		cause = fmt.Errorf("%w, although process id %d is alive", cause, p.PID())
	}
	return &Lost{Process: process, Cause: cause}
}

// beat sends a frame to every process at each beat, and looks for silent processes. It counts its own beats, so
// the time while this process is stopped does not count.
func (j *Job) beat(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	silent := make([]int, j.Processes())
	for {
		select {
		case <-j.stop:
			return
		case <-tick.C:
		}
		j.beating.Lock()
		if !j.leaving {
			j.sendAll(kindAlive)
		}
		j.beating.Unlock()
		for p := range silent {
			if silent[p]++; p == j.Process() || j.heard[p].Swap(false) {
				silent[p] = 0
			}
			if err := j.overdue(p, silent[p], every); err != nil {
				j.lose(err)
			}
		}
	}
}
