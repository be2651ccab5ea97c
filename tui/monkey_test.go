package tui

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/soak"
)

// monkey sends random messages to the program's model, without a terminal.
type monkey struct {
	t   *testing.T
	rng *rand.Rand
	p   *program
}

// keysOfAMonkey lists keys with a meaning in some mode. Other runes are text.
var keysOfAMonkey = []tea.Key{
	{Code: tea.KeyEnter}, {Code: tea.KeyEscape}, {Code: tea.KeyTab}, {Code: tea.KeyTab, Mod: tea.ModShift},
	{Code: tea.KeyBackspace},
	{Code: tea.KeyUp}, {Code: tea.KeyDown}, {Code: tea.KeyLeft}, {Code: tea.KeyRight}, {Code: tea.KeyHome},
	{Code: tea.KeyEnd},
	{Code: tea.KeyPgUp}, {Code: tea.KeyPgDown}, {Code: tea.KeyDelete}, {Code: tea.KeySpace, Text: " "},
	{Code: 'c', Mod: tea.ModCtrl}, {Code: 'z', Mod: tea.ModCtrl}, {Code: 'u', Mod: tea.ModCtrl},
	{Code: 'w', Mod: tea.ModCtrl},
}

// act performs one random action.
func (m *monkey) act() {
	switch k := m.rng.IntN(100); {
	case k < 40: // a letter, digit or other character
		r := rune(' ' + m.rng.IntN(95))
		m.give(tea.KeyPressMsg{Code: r, Text: string(r)})
	case k < 68:
		m.give(tea.KeyPressMsg(keysOfAMonkey[m.rng.IntN(len(keysOfAMonkey))]))
	case k < 76:
		m.give(tea.MouseClickMsg{X: m.rng.IntN(200) - 2, Y: m.rng.IntN(70) - 2, Button: tea.MouseLeft})
	case k < 82:
		m.give(tea.MouseWheelMsg{X: m.rng.IntN(200), Y: m.rng.IntN(70),
			Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[m.rng.IntN(2)]})
	case k < 85:
		m.give(tea.WindowSizeMsg{Width: m.rng.IntN(260), Height: m.rng.IntN(80)})
	case k < 86:
		m.give(tea.PasteMsg{Content: []string{"4", "group 2", "日本\x00\x1b[31m", "size 1073741824",
			"machine nowhere"}[m.rng.IntN(5)]})
	case k < 88:
		m.line(fmt.Sprintf(":%s %d",
			[]string{"group", "nodes", "ranks-per-node", "size", "elements", "threads-per-rank", "world-seed"}[m.rng.IntN(7)],
			1<<m.rng.IntN(7)))
	case k < 89:
		all := workload.All()
		m.line(":workload " + all[m.rng.IntN(len(all))].Name)
	default:
		m.give(tick{at: time.Now()})
	}
}

func (m *monkey) line(text string) {
	for _, r := range text {
		m.give(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	m.give(tea.KeyPressMsg{Code: tea.KeyEnter})
}

// give sends a message and runs the commands that follow from it. The program neither ends nor
// sleeps.
func (m *monkey) give(msg tea.Msg) {
	_, cmd := m.p.Update(msg)
	m.p.app.quit = false
	m.follow(cmd)
}

// follow runs a command. Some questions take hours to simulate: after some seconds, follow ends the question as a
// new one does, and the command must end.
func (m *monkey) follow(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	result := make(chan tea.Msg, 1)
	go func() { result <- cmd() }()
	var msg tea.Msg
	select {
	case msg = <-result:
	case <-time.After(10 * time.Second):
		m.p.app.endInquiry()
		select {
		case msg = <-result:
		case <-time.After(time.Minute):
			m.t.Fatal("a command did not end after its question ended")
		}
	}
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			m.follow(c)
		}
	case answer:
		m.give(msg)
	}
}

// The screen survives random keys, clicks, wheels, resizes and lines over a running session. A
// round ends with the program in a terminal, which is restored at the end.
func TestMonkey(t *testing.T) {
	t.Chdir(t.TempDir()) // actions may write pictures
	soak.Rounds(t, 3, func(t *testing.T, seed uint64) {
		sc, err := session.Scenario("pingpong")
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.Set("fabric", []string{"sim", "live"}[seed%2]); err != nil {
			t.Fatal(err)
		}
		s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Linger: true, Memory: 512 << 20})
		if err != nil {
			t.Fatal(err)
		}
		s.Start(t.Context())
		defer func() { _ = s.Stop() }()
		p, err := newProgram(s, Options{Environ: []string{"TERM=xterm-256color"}})
		if err != nil {
			t.Fatal(err)
		}
		p.every, p.ctx = 1, t.Context()
		m := &monkey{t: t, rng: rand.New(rand.NewPCG(seed, 0x6d6f6e6b)), p: p}
		m.give(tea.WindowSizeMsg{Width: 120, Height: 40})
		for range soak.Acts(t, 600) {
			m.act()
		}
		t.Run("terminal", func(t *testing.T) { m.inATerminal(t, s) })
	})
}

// inATerminal runs the program in a terminal for a short time, with keys that do not end it.
func (m *monkey) inATerminal(t *testing.T, s Session) {
	x := open(t, s, nil)
	x.shows("hybridtop")
	for range 40 {
		switch m.rng.IntN(4) {
		case 0:
			x.program.Send(tea.WindowSizeMsg{Width: 20 + m.rng.IntN(150), Height: 5 + m.rng.IntN(50)})
		case 1:
			x.key([]rune{uv.KeyUp, uv.KeyDown, uv.KeyTab}[m.rng.IntN(3)]) // an escape would combine with the next key
		default:
			x.press(string("pPzftg12345678MhjklnrR"[m.rng.IntN(22)]))
		}
	}
	x.ctrl('c')
	x.ends(nil)
}
