package job

import (
	"crypto/subtle"
	"fmt"
	"net"
	"time"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/internal/safetext"
)

// Limits of connections that have not sent the token yet: their number, and the time until they are closed.
const (
	maxGreetings = 16
	greetTime    = 2 * time.Second
)

// accept waits for the connection of process 0, and sends it the pending orders. It closes every other connection,
// and counts those without the token. It returns nil if the listener is closed, or if the program of process 0 is
// another one.
func (f *front) accept() net.Conn {
	defer f.listener.Close()
	type caller struct {
		net.Conn
		program string
	}
	found := make(chan caller)
	closed := make(chan struct{})
	done := make(chan struct{})
	defer close(done)
	go func() {
		defer close(closed)
		places := make(chan struct{}, maxGreetings)
		for {
			select {
			case places <- struct{}{}: // a silent connection does not keep process 0 waiting
			case <-done:
				return
			}
			conn, err := f.listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { <-places }()
				g, ok := f.greet(conn)
				if !ok {
					f.refused.Add(1)
					conn.Close()
					return
				}
				select {
				case found <- caller{conn, g.program}:
				case <-done:
					conn.Close()
				}
			}()
		}
	}()
	select {
	case x := <-found:
		if x.program == thisProgram() {
			return f.connect(x.Conn)
		}
		f.broken = fmt.Errorf("%s is version %q: want %q (build both programs from one commit)", programName,
			safetext.Clean(x.program), thisProgram())
		x.Close()
	case <-closed:
	case <-f.killed:
	}
	return nil
}

// greet reads the greeting of a connection, and reports whether it has the token.
func (f *front) greet(conn net.Conn) (g greeting, ok bool) {
	_ = conn.SetReadDeadline(time.Now().Add(greetTime))
	k, data, err := readMessage(conn, maxHello)
	if err != nil || k != hello {
		return g, false
	}
	c := codec.Decode(data)
	g.fields(c)
	if c.End() != nil || subtle.ConstantTimeCompare([]byte(g.token), []byte(f.token)) == 0 {
		return g, false
	}
	_ = conn.SetReadDeadline(time.Time{})
	return g, true
}

// connect makes a connection the job's, and sends the pending orders.
func (f *front) connect(conn net.Conn) net.Conn {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conn = conn
	go f.write(conn)
	return conn
}
