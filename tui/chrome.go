package tui

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// part is a piece of the header or the status line. Parts with the lowest need are dropped first if
// there is no room.
type part struct {
	text string
	st   grid.Style
	need int
}

// drawParts writes pieces side by side. If they do not all fit, it drops the least needed ones.
func drawParts(v grid.View, all []part) {
	total := 0
	for i := range all {
		total += grid.Width(all[i].text) + 2
	}
	for total-1 > v.W() {
		least := -1
		for i := range all {
			if all[i].text != "" && (least < 0 || all[i].need < all[least].need) {
				least = i
			}
		}
		if least < 0 || all[least].need >= mandatory {
			break
		}
		total -= grid.Width(all[least].text) + 2
		all[least].text = ""
	}
	x := 1
	for i := range all {
		if all[i].text != "" {
			x += v.TextIn(x, 0, v.W()-x, all[i].text, grid.Left, all[i].st) + 2
		}
	}
}

const mandatory = 100

// drawHeader shows the workload, the layout, the machine and the kind of the numbers.
func (s *screen) drawHeader(a *app) {
	snap, th := a.Snap, a.Theme
	s.clear(s.at.header, th)
	v := s.g.View(s.at.header)
	sc := &snap.Scenario
	kind := th.Kind(pane.KindOf(snap.Kind))
	all := []part{
		{"hybridtop", th.Accent, 9},
		{pane.Or(sc.Workload, "starting…"), th.Title, mandatory},
	}
	if snap.Layout.Nodes > 0 {
		all = append(all,
			part{string(snap.Layout.Model), th.Text, 6},
			part{groupWords(&snap.Layout), th.Text, 8},
			part{ranksWords(&snap.Layout), th.Text, 4},
		)
	}
	weight := 5
	if snap.Job != nil {
		weight = 7
	}
	all = append(all, part{machineWords(snap), th.Text, weight}, part{fabricWords(sc), th.Text, 2})
	if snap.Kind != "" {
		all = append(all, part{string(kind.Symbol) + " " + string(snap.Kind), kind.Style.With(grid.Bold), 7})
	}
	if snap.SizeOnly != nil {
		all = append(all, part{"size-only", th.Warning, 6})
	}
	if a.Base != nil {
		all = append(all, part{"╌ baseline: " + a.Base.NameAndKind, th.Dim, 8})
	}
	if len(a.Assumed) > 0 {
		all = append(all, part{"sketch", th.Warning, 3})
	}
	if snap.Dilation > 1 {
		text := "dilation ×" + grid.Unit{Kind: grid.Plain}.Format(snap.Dilation, 7)
		all = append(all, part{text, kind.Style, 3})
	}
	drawParts(v, all)
}

func groupWords(l *cluster.Layout) string {
	if l.Model == cluster.Flat {
		return "one group"
	}
	return "group " + strconv.Itoa(l.Group)
}

func ranksWords(l *cluster.Layout) string {
	text := strconv.Itoa(l.Nodes) + "×" + strconv.Itoa(l.RanksPerNode) + " ranks"
	if l.ThreadsPerRank > 1 {
		text += " × " + strconv.Itoa(l.ThreadsPerRank) + " threads"
	}
	return text
}

func machineWords(snap *engine.Snapshot) string {
	if snap.Machine == "" {
		return ""
	}
	if j := snap.Job; j != nil { // on this host
		return fmt.Sprintf("on %s, %s", j.Library, j.Number())
	}
	return "on " + snap.Machine
}

func fabricWords(sc *engine.Scenario) string { return sc.Values["fabric"] }

// drawStatus shows the state of the session and urgent messages.
func (s *screen) drawStatus(a *app) {
	snap, th := a.latest, a.Theme
	s.clear(s.at.status, th)
	v := s.g.View(s.at.status)
	word, st := phaseWords(snap, th)
	all := []part{{word, st, mandatory}}
	if a.replay != nil {
		all = a.replayParts()
	}
	if a.capturing != "" {
		all = append(all, part{"● recording", th.Accent, 9})
	}
	if a.frozen {
		all = append(all,
			part{"screen FROZEN at " + clock(a.Snap.Elapsed) + ": f unfreeze", th.Warning.With(grid.Bold | grid.Reverse), 9})
	}
	switch {
	case a.notice != "":
		all = append(all, part{a.Units.Text(a.notice), th.Warning, mandatory})
	case a.Panel.Fault.Text != "" && s.at.at[pane.Knobs].Empty():
		all = append(all, part{"✗ " + a.Units.Text(a.Panel.Fault.Text), th.Error, mandatory})
	}
	if s.at.at[pane.Knobs].Empty() {
		all = append(all, s.knobPart(a))
	}
	if p := previewPart(a); p.text != "" {
		all = append(all, p)
	}
	all = append(all,
		part{clock(snap.Elapsed), th.Text, 7},
		progressPart(snap, th),
		virtualPart(snap, th),
		verifiedPart(snap, th),
	)
	if n := len(snap.Warnings); n > 0 && !snap.Late() {
		all = append(all, part{"▲ " + a.Units.Text(snap.Warnings[0]), th.Warning, 3})
	}
	if a.fps > 0 {
		all = append(all, part{strconv.Itoa(a.fps) + " fps", th.Dim, 1})
	}
	drawParts(v, all)
}

// knobPart shows the selected knob if the pane of knobs is hidden.
func (s *screen) knobPart(a *app) part {
	i := a.Panel.At()
	if i < 0 {
		return part{}
	}
	k := &a.Panel.Scenario.Table[i]
	value := k.Text(a.Requested(k.Name))
	if a.Panel.Typed != nil {
		value = a.Panel.Typed.String() + "▏"
	}
	return part{k.Label + " ◂ " + value + " ▸", a.Theme.Selected, 8}
}

func phaseWords(snap *engine.Snapshot, th *grid.Theme) (string, grid.Style) {
	switch snap.Phase {
	case engine.Running:
		return "▸ running", th.OK
	case engine.Paused:
		return "┃┃ PAUSED: space resume, n step", grid.Style{Fg: th.Warning.Fg, Attr: grid.Bold | grid.Reverse}
	case engine.Ended:
		return "■ ended", th.Good
	case engine.Failed:
		return "✗ FAILED: space restart", th.Error
	}
	return "… starting", th.Dim
}

// progressPart returns the number of completed iterations, or the progress of a long one.
func progressPart(snap *engine.Snapshot, th *grid.Theme) part {
	if text := pane.Progress(snap); text != "" && snap.Phase == engine.Running {
		return part{text, th.Accent, 8}
	}
	return part{"iteration " + strconv.Itoa(snap.Iteration), th.Text, 6}
}

// virtualPart returns the time on the clock of a simulation.
func virtualPart(snap *engine.Snapshot, th *grid.Theme) part {
	if snap.Kind != engine.Simulated || pane.Progress(snap) != "" { // the progress shows a newer time
		return part{}
	}
	return part{"virtual " + grid.Seconds.String(snap.Fabric.Seconds()), th.Kind(pane.KindOf(snap.Kind)).Style, 4}
}

// verifiedPart shows the verdict. It belongs to a small instance if the data are size-only.
func verifiedPart(snap *engine.Snapshot, th *grid.Theme) part {
	switch v := &snap.Verification; {
	case !v.Done:
		return part{"– not verified yet", th.Dim, 2}
	case v.OK && snap.SizeOnly != nil:
		return part{"✓ small instance verified " + grid.Count.String(float64(v.Checks)), th.OK, 5}
	case v.OK:
		return part{"✓ verified " + grid.Count.String(float64(v.Checks)), th.OK, 5}
	}
	return part{"✗ WRONG RESULT", th.Error, mandatory}
}

// clock formats a duration in seconds with one decimal, or in minutes and seconds.
func clock(d time.Duration) string {
	if d < 2*time.Minute {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	sec := int(d.Seconds())
	text := strconv.Itoa(sec/60) + ":"
	if sec%60 < 10 {
		text += "0"
	}
	return text + strconv.Itoa(sec%60) + " min"
}

// drawWhy shows the effect of the last change of a knob and its reason, in one to three rows, if the
// pane of reasons is hidden. Before a change it shows the workload's question.
func (s *screen) drawWhy(a *app) {
	if s.at.why.Empty() {
		return
	}
	s.clear(s.at.why, a.Theme)
	v := s.g.View(s.at.why)
	all := [...]struct {
		head, text string
		st         grid.Style
	}{{"Change: ", a.Snap.Change, a.Theme.Text}, {"Why: ", a.Snap.Why, a.Theme.Text}}
	if a.Snap.Change == "" {
		all[0].head, all[0].text, all[0].st = "", workload.Question(&a.Snap.Scenario, a.Snap.Kind), a.Theme.Focus
	}
	x, y := 1, 0
	for i, p := range all {
		if p.text == "" || x >= v.W()-12 {
			continue
		}
		rows := v.H() - y
		if i == 0 && a.Snap.Why != "" {
			rows = 1
		}
		x += v.Text(x, y, p.head, a.Theme.Accent)
		x += v.TextRows(x, y, v.W()-1-x, rows, a.Units.Text(p.text), p.st) + 2
		if y+1 < v.H() {
			x, y = 1, y+1
		}
	}
}

// pressing holds actions that the footer shows first in some states.
var pressing = []struct {
	when         func(*app) bool
	action, hint string
}{
	{func(a *app) bool { return a.replay != nil || a.frozen && a.past != nil }, "seek-forward", "5 s"},
	{func(a *app) bool { return a.replay != nil || a.frozen && a.past != nil }, "next-mark", "marker"},
	{func(a *app) bool { return a.frozen }, "freeze", "unfreeze"},
	{func(a *app) bool { return a.replay != nil }, "faster", "speed"},
	{func(a *app) bool { return a.Snap.Phase == engine.Failed }, "scroll-down", "scroll"},
	{(*app).cannotEmulate, "simulate", "simulate"},
}

// drawFooter lists the most useful keys of the current mode; each can be clicked. Help and quit are always at
// the end, and the mouse on a wide screen.
func (s *screen) drawFooter(a *app) {
	th := a.Theme
	s.clear(s.at.footer, th)
	v := s.g.View(s.at.footer)
	end, mode := v.W()-1, a.modes()[0]
	var last []*binding
	if mode == overlay.OnScreen {
		last = tail[:]
		if v.W() < 100 {
			last = tail[1:]
		}
		for _, b := range last {
			end -= hintWidth(b, a) + 2
		}
	}
	x := 1
	done := slices.Clone(last)
	if mode == overlay.OnScreen {
		for _, now := range pressing {
			b := named(mode, now.action)
			if now.when(a) {
				done = append(done, b)
				shown := *b
				shown.Hint, shown.word = now.hint, nil
				if x+hintWidth(&shown, a) <= end {
					x = s.drawHint(v, x, &shown, a)
				}
			}
		}
	}
	for _, b := range hints[mode] {
		if slices.Contains(done, b) || b.offered != nil && !b.offered(a) {
			continue
		}
		if x+hintWidth(b, a) > end {
			break
		}
		x = s.drawHint(v, x, b, a)
	}
	for _, b := range last {
		x = s.drawHint(v, x, b, a)
	}
}

// hintText returns the word of a binding in the footer.
func hintText(b *binding, a *app) string {
	if b.word != nil {
		return b.word(a)
	}
	return b.Hint
}

func hintWidth(b *binding, a *app) int {
	return grid.Width(hintKey(b, a)) + 1 + grid.Width(hintText(b, a))
}

// hintKey returns the key of a hint; for a pair of opposite actions, both keys.
func hintKey(b *binding, a *app) string {
	if b.bothNow != nil {
		return b.bothNow(a)
	}
	if b.Both != "" {
		return b.Both
	}
	return label(b.Keys[0])
}

// drawHint draws a footer hint that the mouse can click. In a pair of keys, the first character is
// the opposite action.
func (s *screen) drawHint(v grid.View, x int, b *binding, a *app) int {
	key := hintKey(b, a)
	at := v.Rect()
	n := v.Text(x, 0, key, a.Theme.Accent)
	n += 1 + v.Text(x+n+1, 0, hintText(b, a), a.Theme.Dim)
	s.hits = append(s.hits, hit{at: grid.Rect{X: at.X + x, Y: at.Y, W: n, H: 1}, press: b.do})
	if b.other != nil {
		s.hits = append(s.hits, hit{at: grid.Rect{X: at.X + x, Y: at.Y, W: 1, H: 1}, press: b.other.do})
	}
	return x + n + 2
}
