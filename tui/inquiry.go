package tui

import (
	"context"
	"fmt"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// inquiring is the question about the run that simulations answer in the background. The zero value means that there is no question.
type inquiring struct {
	asked    inquiry                 // to start; nil: none
	stop     func()                  // cancels the simulations in progress; nil: none
	progress *atomic.Pointer[[2]int] // simulations that have ended, and their number
	number   int                     // of the question
}

// inquiry simulates, and returns a function that stores the results.
type inquiry func(context.Context, session.Options, func(*session.Progress)) (func(*pane.Inquiry), error)

// answered is the message with the results of a question, or with the error.
type answered struct {
	number int
	store  func(*pane.Inquiry)
	err    error
}

// inquire asks a question about the run, and shows the pane with the answer. It ends the question before.
func (a *app) inquire(action, where, title string, sc engine.Scenario, ask inquiry) {
	a.endInquiry()
	a.Inquiry = &pane.Inquiry{Action: action, Pane: where, Title: title, Scenario: sc}
	a.inquiring.asked = ask
	a.setFocus(a.paneOf(where))
}

// endInquiry removes the question and cancels its simulations.
func (a *app) endInquiry() {
	if a.inquiring.stop != nil {
		a.inquiring.stop()
	}
	a.Inquiry, a.inquiring = nil, inquiring{number: a.inquiring.number + 1}
}

// endsInquiry ends the question of an action. It reports whether there was one.
func (a *app) endsInquiry(action string) bool {
	if a.Inquiry == nil || a.Inquiry.Action != action {
		return false
	}
	a.endInquiry()
	return true
}

// startInquiry returns the command that simulates the answer.
func (p *program) startInquiry() tea.Cmd {
	q := &p.app.inquiring
	ask, number, progress := q.asked, q.number, new(atomic.Pointer[[2]int])
	ctx, cancel := context.WithCancel(p.ctx)
	q.asked, q.stop, q.progress = nil, cancel, progress
	o := session.Options{Machines: p.app.overHost.Machines}
	return func() tea.Msg {
		defer cancel()
		store, err := ask(ctx, o, func(s *session.Progress) { progress.Store(&[2]int{s.Done, s.Total}) })
		return answered{number, store, err}
	}
}

// showAnswer shows the results if the screen still waits for them.
func (a *app) showAnswer(x answered) {
	if a.Inquiry == nil || x.number != a.inquiring.number {
		return
	}
	next := *a.Inquiry
	if x.err != nil {
		next.Failure = x.err.Error()
	} else {
		x.store(&next)
	}
	a.Inquiry, a.inquiring.stop, a.inquiring.progress = &next, nil, nil
}

// followInquiry ends a question about another run, shows the progress of its simulations, and reports whether anything
// has changed.
func (a *app) followInquiry() bool {
	if a.Inquiry == nil {
		return false
	}
	if !isSame(&a.Inquiry.Scenario, &a.Snap.Scenario) {
		a.endInquiry()
		return true
	}
	if a.inquiring.progress == nil {
		return false
	}
	now := a.inquiring.progress.Load()
	if now == nil || *now == [2]int{a.Inquiry.Done, a.Inquiry.Total} {
		return false
	}
	next := *a.Inquiry
	next.Done, next.Total = now[0], now[1]
	a.Inquiry = &next
	return true
}

// askQuestion asks a question by its command: decide, pairs, regret or advise.
func (a *app) askQuestion(question, text string) error {
	sc := a.Snap.Scenario.Clone()
	if sc.Values["fabric"] != engine.Sim {
		return fmt.Errorf("%s: the fabric measures (press %s to simulate)", question, a.Keys("simulate"))
	}
	switch question {
	case "decide":
		return a.decide(sc, text)
	case "pairs":
		return a.comparePairs(sc, text)
	case "regret":
		return a.regret(sc, text)
	}
	return a.advise(sc, text)
}

// askNow asks a question by its key, or ends it. A refusal is a message.
func (a *app) askNow(question string) {
	if a.endsInquiry(question) {
		return
	}
	if err := a.askQuestion(question, ""); err != nil {
		a.notice = err.Error()
	}
}
