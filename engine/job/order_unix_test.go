//go:build unix

package job

import (
	"net"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/engine"
)

// TestOrdersToASuspendedProcess checks that a front can order and kill a job whose process 0 reads nothing.
func TestOrdersToASuspendedProcess(t *testing.T) {
	f, err := launch([]string{"sleep", "60"}, false, "")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("unix", f.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := codec.Encode(nil)
	(&greeting{f.token, thisProgram()}).fields(c)
	if err := writeMessage(conn, hello, c.Bytes()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for connected := false; !connected; {
			f.mu.Lock()
			connected = f.conn != nil
			f.mu.Unlock()
		}
		for range 100 * maxPending {
			f.Order(engine.Step)
		}
		f.mu.Lock()
		if n := len(f.pending); n > maxPending {
			t.Errorf("%d pending orders, want at most %d", n, maxPending)
		}
		f.mu.Unlock()
		f.Kill()
		_ = f.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the front waits for process 0")
	}
}
