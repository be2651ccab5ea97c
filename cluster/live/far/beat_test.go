package far

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster/host"
)

// elsewhere is the identity of a process on another host.
const elsewhere = "00000000-0000-0000-0000-000000000000 pid:[4026531836] 1 5"

// identityFrame returns the frame with the identity of a process.
func identityFrame(identity string) []byte {
	return append((&Frame{Kind: kindAlive}).encode(nil, 0), identity...)
}

// TestIdentity checks that a job stores the identity of a process, and that a damaged or a second one ends the job.
func TestIdentity(t *testing.T) {
	whole := identityFrame(elsewhere)
	for name, c := range map[string]struct {
		frames [][]byte
		want   string // of the error that ended the job; "": none
	}{
		"none":         {[][]byte{(&Frame{Kind: kindAlive, Sized: true}).encode(nil, 0)}, ""},
		"an identity":  {[][]byte{whole}, ""},
		"a second one": {[][]byte{whole, whole}, "a second identity"},
		"empty":        {[][]byte{identityFrame("")}, "does not identify a process"},
		"too long":     {[][]byte{identityFrame(strings.Repeat("1", maxIdentity+1))}, "identity of 129 B, want at most 128 B"},
		"half":         {[][]byte{whole[:len(whole)-4]}, "does not identify a process"},
		"more":         {[][]byte{append(whole[:len(whole):len(whole)], ' ')}, "does not identify a process"},
		"with a shape": {[][]byte{append([]byte{byte(kindAlive), 0, 0, flagShape}, whole[4:]...)}, "damaged frame"},
	} {
		j := &Job{t: &script{frames: c.frames}, left: make(chan struct{}), heard: make([]atomic.Bool, 2),
			peers: make([]atomic.Pointer[host.Process], 2), bye: make([]bool, 2)}
		j.Poll()
		err := j.failure()
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, errFrame) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if p := j.peers[1].Load(); p != nil && p.String() != elsewhere {
			t.Errorf("%s: process %v", name, p)
		}
	}
}
