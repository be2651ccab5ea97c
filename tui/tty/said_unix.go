//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tty

import (
	"fmt"
	"io"
	"os"
	"time"
)

// lastWords is the longest time for reading the standard error of a program, and again for writing
// it. On a busy host this takes more than [patience]. Only a hanging file uses all of it.
const lastWords = time.Second

// mostSaid is the maximum number of bytes that are kept. The start has the reason of a crash.
const mostSaid = 256 << 10

// said collects the standard error of the program, which would be lost on the alternate screen.
type said struct {
	from *os.File
	text []byte
	more int64 // number of discarded bytes
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

// end waits until the standard error of an ended program has been read. It does not wait for
// another process that keeps the pipe open.
func (s *said) end() {
	_ = s.from.SetReadDeadline(time.Now().Add(lastWords))
	<-s.done
}

// print writes the collected text. Call it after end.
func (s *said) print(to io.Writer) {
	_, _ = to.Write(s.text)
	if s.more > 0 {
		fmt.Fprintf(to, "\nhybridtop: %d more bytes omitted\n", s.more)
	}
}
