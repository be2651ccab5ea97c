package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/pairs"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

// changed shows a simulation of pingpong, then one with another size.
func changed(t *testing.T) (*app, *program) {
	t.Helper()
	a, p := mapped(t)
	s := *a.Snap
	s.Scenario = s.Scenario.Clone()
	s.Scenario.Values["size"] = "64"
	a.load(&s)
	return a, p
}

// answer simulates the answer to the question on the screen.
func (p *program) answer(t *testing.T) {
	t.Helper()
	if p.app.inquiring.asked == nil {
		t.Fatalf("nothing is asked: %q", p.app.notice)
	}
	ask := p.startInquiry()
	if !p.app.isExplaining() {
		t.Error("the screen may rest during the simulations")
	}
	x := ask().(answered)
	p.app.followInquiry() // shows the progress
	if q := p.app.Inquiry; q.Map == nil && (q.Total == 0 || q.Done == 0) {
		t.Errorf("the progress is %d of %d", q.Done, q.Total)
	}
	p.app.showAnswer(x)
	if p.app.Inquiry.Failure != "" || p.app.isExplaining() {
		t.Fatalf("failure %q", p.app.Inquiry.Failure)
	}
}

// TestPairsCompareWithTheVariantBefore compares by key with the settings before the last change, and by command with the
// baseline.
func TestPairsCompareWithTheVariantBefore(t *testing.T) {
	a, p := changed(t)
	keys(a, "V")
	p.answer(t)
	r := a.Inquiry.Pairs
	if r == nil || len(r.Pairs) != usualPairs || r.Names != [2]string{"size 262144", "size 64"} {
		t.Fatalf("the pairs are %+v", r)
	}
	if c := r.Conclude(); c.Verdict != pairs.Real || c.Difference.Median >= 0 {
		t.Errorf("a shorter message: %+v", c)
	}
	if keys(a, "E"); a.Inquiry != nil {
		t.Error("E does not leave the pairs")
	}
	keys(a, "b")
	s := *a.Snap
	s.Scenario = s.Scenario.Clone()
	s.Scenario.Values["size"] = "512"
	a.load(&s)
	a.former = nil
	keys(a, ":", "'pairs 6", "enter")
	p.answer(t)
	if r := a.Inquiry.Pairs; len(r.Pairs) != 6 || r.Names != [2]string{"size 64", "size 512"} {
		t.Errorf("next to a baseline: %+v", r)
	}
}

// TestPairsNeedTwoSimulations refuses a live run, the first variant, and wrong numbers of seeds.
func TestPairsNeedTwoSimulations(t *testing.T) {
	live := shownApp(demo(4, 4, 4))
	if keys(live, "V"); live.Inquiry != nil || !strings.Contains(live.notice, "simulate") {
		t.Errorf("a live run: %q", live.notice)
	}
	a, _ := mapped(t)
	if keys(a, "V"); a.Inquiry != nil || !strings.Contains(a.notice, "change a knob") {
		t.Errorf("the first variant: %q", a.notice)
	}
	a, _ = changed(t)
	for _, seeds := range []string{"5", "1001", "many", "8 8"} {
		if err := a.askQuestion("pairs", seeds); err == nil || a.Inquiry != nil {
			t.Errorf("%s seeds: %v", seeds, err)
		}
	}
	a.load(runs.Last("heat").On(t, "demo"))
	if keys(a, "V"); a.Inquiry != nil {
		t.Error("another workload is a variant")
	}
	a, _ = changed(t)
	a.Snap = runs.Last("heat").On(t, "demo") // an earlier time, with another workload
	if keys(a, "V"); a.Inquiry != nil || !strings.Contains(a.notice, "no other variant") {
		t.Errorf("a variant of another workload: %q", a.notice)
	}
}

// TestAdviceRanksTheChoices asks for advice by key and by command, and refuses a live run and an unknown knob.
func TestAdviceRanksTheChoices(t *testing.T) {
	a, p := mapped(t, ":", "'advise pair", "enter")
	p.answer(t)
	if r := a.Inquiry.Advice; r == nil || r.Winner() == nil || r.Winner().Setting("pair") == "remote" {
		t.Fatalf("the advice is %+v", r)
	}
	if keys(a, "E"); a.Inquiry != nil {
		t.Error("E does not leave the advice")
	}
	if keys(a, "J"); a.Inquiry != nil || !strings.Contains(a.notice, "name knobs") {
		t.Errorf("no knob keeps the problem: %q", a.notice)
	}
	a.load(runs.Last("heat").On(t, "demo"))
	if keys(a, "J"); a.Inquiry == nil || a.inquiring.asked == nil {
		t.Errorf("J asks for nothing: %q", a.notice)
	}
	a.endInquiry()
	if err := a.askQuestion("advise", "colour"); err == nil || a.Inquiry != nil {
		t.Errorf("an unknown knob: %v", err)
	}
	live := shownApp(demo(4, 4, 4))
	if keys(live, "J"); live.Inquiry != nil || !strings.Contains(live.notice, "simulate") {
		t.Errorf("a live run: %q", live.notice)
	}
}

// TestAQuestionIsCancelled cancels the simulations of pairs and of advice by E, and by the key that the pane names.
func TestAQuestionIsCancelled(t *testing.T) {
	for i, question := range []string{"'pairs 1000", "'advise size,rounds,method", "'pairs 1000", "'advise size,rounds,method"} {
		key := []string{"E", "E", "V", "J"}[i]
		a, p := changed(t)
		keys(a, ":", question, "enter")
		if a.Inquiry == nil {
			t.Fatalf("%s: %q", question, a.notice)
		}
		ask := p.startInquiry()
		ended := make(chan answered)
		go func() { ended <- ask().(answered) }()
		var s screen
		if text := s.draw(a, 80, 24).PlainText(); key != "E" && !strings.Contains(text, "Press "+key+" to cancel.") {
			t.Errorf("%s: the pane does not name %s:\n%s", question, key, text)
		}
		keys(a, key)
		select {
		case x := <-ended:
			if a.showAnswer(x); x.err == nil || a.Inquiry != nil {
				t.Errorf("%s: the simulations end with %v", question, x.err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: the simulations continue", question)
		}
	}
}

// TestAnAnswerToAnotherQuestionIsNotShown ends a question by a change of the run.
func TestAnAnswerToAnotherQuestionIsNotShown(t *testing.T) {
	a, p := changed(t)
	keys(a, "V")
	ask := p.startInquiry()
	s := *a.Snap
	s.Scenario = s.Scenario.Clone()
	s.Scenario.Values["size"] = "32"
	a.load(&s)
	if !a.followInquiry() || a.Inquiry != nil {
		t.Fatal("the question about the run before is still asked")
	}
	keys(a, "V")
	if a.showAnswer(ask().(answered)); a.Inquiry == nil || a.Inquiry.Pairs != nil || a.Inquiry.Failure != "" {
		t.Errorf("the question has the answer %+v", a.Inquiry)
	}
	if a.Snap.Kind != engine.Simulated {
		t.Error("the run is not simulated")
	}
}

// TestAnswersAreNotCutOff draws the answers to pairs and advice at all sizes of a screen in steps, with other panes and
// alone.
func TestAnswersAreNotCutOff(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	for _, question := range []string{"pairs", "advise"} {
		a, p := changed(t)
		if err := a.askQuestion(question, map[string]string{"advise": "pair,method"}[question]); err != nil {
			t.Fatal(err)
		}
		p.answer(t)
		w := watch(a)
		for columns := 80; columns <= 300; columns += 11 {
			rows := 24 + (columns-80)*66/220
			for _, a.zoomed = range []bool{false, true} {
				w.draw(a, columns, rows)
				one := a.panes[a.focus].(*watched)
				if faults := one.watch.Faults(&w.g, one.border.Above || one.border.Below); len(faults) > 0 {
					t.Errorf("%s, %d×%d, alone %t: %v", question, columns, rows, a.zoomed, faults)
				}
			}
		}
	}
}
