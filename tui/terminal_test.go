package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/engine"
)

// player is a session that publishes the snapshots of a test and keeps the commands.
type player struct {
	mu       sync.Mutex
	snap     *engine.Snapshot
	commands []engine.Command
	came     chan struct{} // one for each command
	do       func(engine.Command) error
}

func (p *player) Load() *engine.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.snap
}

func (p *player) publish(s *engine.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.snap = s
}

func (p *player) Do(c engine.Command) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commands = append(p.commands, c)
	p.came <- struct{}{}
	if p.do != nil {
		return p.do(c)
	}
	return nil
}

func (p *player) got() []engine.Command {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]engine.Command(nil), p.commands...)
}

// terminal is an emulated terminal with the real program in it.
type terminal struct {
	t        *testing.T
	mu       sync.Mutex
	written  sync.Cond
	em       *vt.Emulator
	program  *tea.Program
	over     chan error
	timedOut bool
}

// Write receives the program's output. Like the driver of a terminal, it turns a line feed into
// carriage return and line feed.
func (x *terminal) Write(b []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.emulate(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")))
	x.written.Broadcast()
	return len(b), nil
}

// emulate shows output without scroll margins. Unlike terminals, the emulator (x/vt) does not clamp
// margins to its screen. It panics if the program scrolls with margins of the previous size, which
// may happen during a resize.
func (x *terminal) emulate(b []byte) {
	defer func() {
		if recover() != nil {
			_, _ = x.em.WriteString("\x1b[r")
		}
	}()
	_, _ = x.em.Write(b)
}

// open runs the program in an emulator of 120×40.
func open(t *testing.T, s Session, change func(*Options)) *terminal {
	t.Helper()
	return openContext(context.Background(), t, s, change)
}

func openContext(ctx context.Context, t *testing.T, s Session, change func(*Options)) *terminal {
	t.Helper()
	x := &terminal{t: t, em: vt.NewEmulator(120, 40), over: make(chan error, 1)}
	x.written.L = &x.mu
	in, keyboard := io.Pipe()
	// Keys and the emulator's replies are buffered. The program may be writing to the terminal
	// without reading, and neither side may wait for the other.
	typed := make(chan []byte, 10_000)
	go func() {
		defer close(typed) // with the emulator
		for {
			b := make([]byte, 256)
			n, err := x.em.Read(b)
			if typed <- b[:n]; err != nil {
				return
			}
		}
	}()
	go func() {
		quit := false
		for b := range typed {
			// Bubble Tea's input reader blocks forever on an event that it reads after the program has
			// quit, such as the reply to the program's last query.
			if quit {
				continue
			}
			_, _ = keyboard.Write(b)
			quit = bytes.Contains(b, []byte("\x03"))
		}
		_ = keyboard.Close()
	}()
	o := Options{Input: in, Output: x, Width: 120, Height: 40, FPS: 60,
		Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor"}}
	if change != nil {
		change(&o)
	}
	var err error
	_, x.program, err = prepare(ctx, s, o)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := x.program.Run()
		x.mu.Lock()
		x.over <- err
		x.mu.Unlock()
	}()
	t.Cleanup(func() {
		x.program.Quit()
		x.program.Wait()
		_ = in.Close()                           // a key that the program did not read before it ended
		_ = x.em.InputPipe().(io.Closer).Close() // the emulator's own Close races with its Read
	})
	return x
}

// text returns the text of the screen, one line per row.
func (x *terminal) text() string {
	var b strings.Builder
	for y := range x.em.Height() {
		for c := range x.em.Width() {
			cell := x.em.CellAt(c, y)
			if cell == nil || cell.Content == "" {
				b.WriteByte(' ')
				continue
			}
			b.WriteString(cell.Content)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// until waits until holds returns true for the text of the terminal. It fails the test after a
// timeout.
func (x *terminal) until(what string, holds func() bool) {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	giveUp := time.AfterFunc(time.Minute, func() {
		x.mu.Lock()
		x.timedOut = true
		x.mu.Unlock()
		x.written.Broadcast()
	})
	defer giveUp.Stop()
	for !holds() {
		if x.timedOut {
			x.t.Fatalf("never came: %s\n%s", what, x.text())
		}
		x.written.Wait()
	}
}

// shows waits for a text on the screen.
func (x *terminal) shows(text string) {
	x.t.Helper()
	x.until(text, func() bool { return strings.Contains(x.text(), text) })
}

// hides waits until a text has disappeared.
func (x *terminal) hides(text string) {
	x.t.Helper()
	x.until("without "+text, func() bool { return !strings.Contains(x.text(), text) })
}

// at finds a text on the screen.
func (x *terminal) at(text string) (col, row int) {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	for y, line := range strings.Split(x.text(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			return len([]rune(before)), y
		}
	}
	x.t.Fatalf("%q is not on the screen:\n%s", text, x.text())
	return 0, 0
}

// send sends a key or a mouse event to the emulator, which reads its modes for it.
func (x *terminal) send(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
}

func (x *terminal) press(text string) { x.send(func() { x.em.SendText(text) }) }
func (x *terminal) key(code rune)     { x.send(func() { x.em.SendKey(uv.KeyPressEvent{Code: code}) }) }
func (x *terminal) ctrl(r rune) {
	x.send(func() { x.em.SendKey(uv.KeyPressEvent{Code: r, Mod: uv.ModCtrl}) })
}

func (x *terminal) click(col, row int) {
	x.send(func() {
		x.em.SendMouse(uv.MouseClickEvent{X: col, Y: row, Button: uv.MouseLeft})
		x.em.SendMouse(uv.MouseReleaseEvent{X: col, Y: row, Button: uv.MouseLeft})
	})
}

func (x *terminal) wheel(col, row int, b uv.MouseButton, held uv.KeyMod) {
	x.send(func() { x.em.SendMouse(uv.MouseWheelEvent{X: col, Y: row, Button: b, Mod: held}) })
}

// ends waits until the program ends, and checks that the terminal is restored.
func (x *terminal) ends(want error) {
	x.t.Helper()
	if err := <-x.over; !errors.Is(err, want) || want == nil && err != nil {
		x.t.Errorf("ended with %v, want %v", err, want)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.em.IsAltScreen() {
		x.t.Error("the alternate screen was not left")
	}
}

func running() *player { return &player{snap: demo(4, 4, 4), came: make(chan struct{}, 100)} }

func set(knob, value string) engine.Command {
	return engine.Command{Verb: engine.Set, Knob: knob, Value: value}
}

// wants waits until the session has received n more commands, and compares all.
func (p *player) wants(t *testing.T, n int, want ...engine.Command) {
	t.Helper()
	for range n {
		<-p.came
	}
	if diff := cmp.Diff(want, p.got()); diff != "" {
		t.Error(diff)
	}
}

// Scroll margins of a larger screen do no harm.
func TestEmulatorKeepsGoing(t *testing.T) {
	x := &terminal{t: t, em: vt.NewEmulator(20, 5)}
	x.written.L = &x.mu
	for _, out := range []string{"\x1b[1;10r", "\x1b[2S", "after"} {
		if n, err := x.Write([]byte(out)); n != len(out) || err != nil {
			t.Fatalf("%q: %d bytes, %v", out, n, err)
		}
	}
	if !strings.Contains(x.em.Render(), "after") {
		t.Errorf("the screen shows %q", x.em.Render())
	}
}
