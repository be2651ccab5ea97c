//go:build unix

package socket

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// TestFilesAreClosed checks that New closes all files, also if one of them is not a socket.
func TestFilesAreClosed(t *testing.T) {
	pairs, err := Pairs(3)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := os.Create(filepath.Join(t.TempDir(), "plain"))
	if err != nil {
		t.Fatal(err)
	}
	files := []*os.File{nil, pairs[0][1], plain, pairs[0][2]}
	if _, err := New(0, files); err == nil {
		t.Error("a plain file is accepted")
	}
	for k, f := range files[1:] {
		if err := f.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("file %d is open: %v", k+1, err)
		}
	}
	closeAll(append(pairs[1], pairs[2]...))
}

// TestLostProcesses checks that the ends of processes arrive one by one, after their frames.
func TestLostProcesses(t *testing.T) {
	pairs, err := Pairs(3)
	if err != nil {
		t.Fatal(err)
	}
	var all []*Transport
	for i, files := range pairs {
		one, err := New(i, files)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	for _, one := range all[1:] {
		if err := errors.Join(one.Send(0, []byte("head"), []byte("body")), one.Close()); err != nil {
			t.Fatal(err)
		}
	}
	frames, lost := map[int]int{}, map[int]bool{}
	for len(lost) < 2 {
		all[0].Idle(time.Millisecond)
		_, err := all[0].Poll(func(from int, frame []byte) {
			if string(frame) == "headbody" && !lost[from] {
				frames[from]++
			}
		})
		var l *far.Lost
		if errors.As(err, &l) {
			lost[l.Process] = true
		}
	}
	if frames[1] != 1 || frames[2] != 1 {
		t.Errorf("frames by process: %v", frames)
	}
	if err := all[0].Close(); err != nil {
		t.Error(err)
	}
}
