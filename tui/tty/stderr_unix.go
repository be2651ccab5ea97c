//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tty

import (
	"fmt"
	"io"
	"os"
	"time"
)

// stderrTime is the longest time for reading the standard error of a program, and again for writing
// it. On a busy host this takes more than [patience]. Only a hanging file uses all of it.
const stderrTime = time.Second

// maxStderr is the maximum number of bytes that are kept. The start has the reason of a crash.
const maxStderr = 256 << 10

// stderrLog collects the standard error of the program, which would be lost on the alternate screen.
type stderrLog struct {
	from    *os.File
	text    []byte
	omitted int64 // number of discarded bytes
	done    chan struct{}
}

func collectStderr(from *os.File) *stderrLog {
	s := &stderrLog{from: from, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		var b [4096]byte
		for {
			n, err := from.Read(b[:])
			keep := min(n, maxStderr-len(s.text))
			s.text = append(s.text, b[:keep]...)
			s.omitted += int64(n - keep)
			if err != nil {
				return
			}
		}
	}()
	return s
}

// end waits until the standard error of an ended program has been read. It does not wait for
// another process that keeps the pipe open.
func (s *stderrLog) end() {
	_ = s.from.SetReadDeadline(time.Now().Add(stderrTime))
	<-s.done
}

// print writes the collected text. Call it after end.
func (s *stderrLog) print(to io.Writer) {
	_, _ = to.Write(s.text)
	if s.omitted > 0 {
		fmt.Fprintf(to, "\nhybridtop: %d more bytes omitted\n", s.omitted)
	}
}
