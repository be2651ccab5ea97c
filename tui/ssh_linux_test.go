package tui

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui/tty/ttytest"
)

// resize is a change of a terminal's size after a number of bytes of output.
type resize struct{ after, w, h int }

// TestFramesOverSSHStayIntact plays a simulation on a pseudo-terminal of an SSH session, on which Bubble Tea does not
// synchronize output. A terminal that gets the whole output in random fragments shows the last frame, also after changes
// of the size.
func TestFramesOverSSHStayIntact(t *testing.T) {
	sc, err := session.Scenario("randomaccess")
	if err != nil {
		t.Fatal(err)
	}
	for knob, value := range map[string]string{"fabric": "sim", "timeline": "on"} {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Linger: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(t.Context())
	t.Cleanup(func() { _ = s.Stop() })
	master, slave := ttytest.Open(t, 120, 40)
	p, program, err := prepare(t.Context(), s, Options{Input: slave, Output: slave, Width: 120, Height: 40, FPS: 60, Environ: []string{
		"TERM=xterm-256color", "LC_ALL=C.UTF-8", "SSH_TTY=/dev/pts/0", "SSH_CONNECTION=192.0.2.1 50000 192.0.2.2 22"}})
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, em: vt.NewEmulator(120, 40), program: program, over: make(chan error, 1)}
	x.written.L = &x.mu
	t.Cleanup(func() { _ = x.em.InputPipe().(io.Closer).Close() })
	var output bytes.Buffer
	var sizes []resize
	go func() { // the terminal's answers and keys
		b := make([]byte, 256)
		for {
			n, err := x.em.Read(b)
			if _, writing := master.Write(b[:n]); err != nil || writing != nil {
				return
			}
		}
	}()
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			x.mu.Lock()
			output.Write(b[:n])
			x.emulate(b[:n])
			x.mu.Unlock()
			x.written.Broadcast()
			if err != nil {
				return
			}
		}
	}()
	go func() {
		_, err := program.Run()
		x.over <- err
	}()
	change := func(w, h int) {
		x.mu.Lock()
		x.em.Resize(w, h)
		sizes = append(sizes, resize{output.Len(), w, h})
		x.mu.Unlock()
		ttytest.SetSize(t, master, w, h)
		program.Send(tea.WindowSizeMsg{Width: w, Height: h})
	}
	x.shows("✓ verified")
	x.press("\x1b[C") // the first knob
	x.shows("group 4→8")
	change(80, 24)
	x.shows("▸ running")
	x.press("z")
	x.hides("5 Knobs")
	x.press("z")
	x.shows("5 Knobs")
	change(160, 50)
	x.shows("Timeline")
	x.press("+")
	x.press("?")
	x.shows("type to search, enter run")
	x.press("\x1b")
	x.hides("Help and glossary")
	x.press(" ")
	x.shows("PAUSED")
	x.press("q")
	if err := <-x.over; err != nil {
		t.Fatal(err)
	}
	const leave = "\x1b[?1049l"
	x.until("the end of the output", func() bool { return bytes.Contains(output.Bytes(), []byte(leave)) })
	all, _, _ := strings.Cut(output.String(), leave)
	if strings.Contains(all, "\x1b[?2026h") {
		t.Error("the output is synchronized, which this test does not need")
	}
	want := trimmed(p.screen.g.PlainText())
	seed := rand.Uint64()
	t.Logf("%d bytes, seed %d", len(all), seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, longest := range []int{1 << 20, 4096, 100, 3} {
		far := &terminal{t: t, em: vt.NewEmulator(120, 40)}
		go func() { _, _ = io.Copy(io.Discard, far.em) }() // its answers
		next := sizes
		for at := 0; at < len(all); {
			n := min(1+random.IntN(longest), len(all)-at)
			if len(next) > 0 && at+n >= next[0].after {
				n = next[0].after - at
				far.emulate([]byte(all[at : at+n]))
				far.em.Resize(next[0].w, next[0].h)
				next = next[1:]
			} else {
				far.emulate([]byte(all[at : at+n]))
			}
			at += n
		}
		_ = far.em.InputPipe().(io.Closer).Close()
		if diff := cmp.Diff(want, trimmed(far.text())); diff != "" {
			t.Errorf("fragments of up to %d bytes (seed %d): another screen than the last frame (- frame, + terminal):\n%s", longest, seed, diff)
		}
	}
}

// trimmed returns the lines of a screen without blanks at their ends.
func trimmed(text string) []string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range all {
		all[i] = strings.TrimRight(all[i], " ")
	}
	return all
}
