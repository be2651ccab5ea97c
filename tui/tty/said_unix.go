//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tty

import (
	"fmt"
	"io"
	"os"
	"time"
)

// lastWords is how long the last words of a program may take to be read, and then to be
// written: on a busy host more than [patience], which only what hangs uses up.
const lastWords = time.Second

// mostSaid is how much of what a program says is kept: its beginning, where the
// reason of a crash stands.
const mostSaid = 256 << 10

// said keeps what the program says on standard error, which would be lost on the
// alternate screen.
type said struct {
	from *os.File
	text []byte
	more int64 // bytes that are not kept
	done chan struct{}
}

func listen(from *os.File) *said {
	s := &said{from: from, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		var b [4096]byte
		for {
			n, err := from.Read(b[:])
			keep := min(n, mostSaid-len(s.text))
			s.text = append(s.text, b[:keep]...)
			s.more += int64(n - keep)
			if err != nil {
				return
			}
		}
	}()
	return s
}

// end waits until all that a program that has ended has said is read. A process that it
// left behind may keep the pipe open: it is not waited for.
func (s *said) end() {
	_ = s.from.SetReadDeadline(time.Now().Add(lastWords))
	<-s.done
}

// print writes what was said; it is called after end.
func (s *said) print(to io.Writer) {
	_, _ = to.Write(s.text)
	if s.more > 0 {
		fmt.Fprintf(to, "\nhybridtop: %d more bytes are left out\n", s.more)
	}
}
