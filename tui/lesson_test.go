package tui

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/lesson"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// overlapLesson is the lesson whose programs need the least time.
const overlapLesson = "when-overlap-pays"

// overlapRuns runs the programs of the lesson once.
var overlapRuns = sync.OnceValues(func() (*presets.Lesson, lesson.Results) {
	l, err := presets.FindLesson(overlapLesson)
	if err != nil {
		panic(err)
	}
	r, err := lesson.Run(context.Background(), &l, session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Usual: 1}}, nil)
	if err != nil {
		panic(err)
	}
	return &l, r
})

// taught returns a player of the lesson at its first question.
func taught() *lesson.Player {
	l, r := overlapRuns()
	p := lesson.NewPlayer(l, r, lesson.Answers{}, false)
	for p.Stage() != lesson.Predicting {
		_ = p.Take("")
	}
	return p
}

// inLesson returns the screen with the lesson, after some keys.
func inLesson(pressed ...string) func() *app {
	return func() *app {
		a := shownApp(demo(4, 4, 4))
		l, r := overlapRuns()
		a.lessonOpened(lessonOpened{of: Lesson{Name: overlapLesson}, player: lesson.NewPlayer(l, r, lesson.Answers{}, false), runs: r})
		keys(a, pressed...)
		return a
	}
}

// taken returns the knobs of the scenarios that the screen asked the session to run.
func taken(a *app, knob string) (all []string) {
	for _, c := range a.out {
		if c.Verb == engine.Take {
			all = append(all, c.Scenario.Values[knob])
		}
	}
	return all
}

// TestTheRunOfAQuestionIsPartOfItsAnswer checks that the run of a question starts after the answer, next to its baseline.
func TestTheRunOfAQuestionIsPartOfItsAnswer(t *testing.T) {
	a := inLesson("N")() // the first step: masteronly
	if got := taken(a, "reserved"); !slices.Equal(got, []string{"1"}) || a.base != nil {
		t.Errorf("the first step runs reserved = %q, baseline %v", got, a.base)
	}
	a.out = nil
	if keys(a, "N", "N", "'1.4", "enter", "'3", "enter"); a.over != nil || a.course.player.Stage() != lesson.Revealed {
		t.Fatalf("after a prediction and the confidence: stage %d", a.course.player.Stage())
	}
	a.out = nil
	if keys(a, "N", "N", "'3", "enter"); len(taken(a, "reserved")) > 0 {
		t.Error("the program runs before the answer")
	}
	keys(a, "'2", "enter")
	if got := taken(a, "reserved"); !slices.Equal(got, []string{"4"}) || a.base == nil {
		t.Errorf("the answer runs reserved = %q, baseline %v", got, a.base)
	}
	want := []lesson.Answer{{Confidence: 3, Right: true}, {Confidence: 2, Right: true}}
	for i, x := range a.course.player.Answers.Answers {
		if x.Confidence != want[i].Confidence || x.Right != want[i].Right {
			t.Errorf("answer %d: %+v, want %+v", i, x, want[i])
		}
	}
	a.out = nil
	if keys(a, "H", "H", "I"); !slices.Equal(taken(a, "reserved"), []string{"1", "1", "1"}) {
		t.Errorf("the steps before run reserved = %q", taken(a, "reserved"))
	}
}

// TestALessonLeavesTheKeysToTheScreen changes a knob, hides the lesson and returns.
func TestALessonLeavesTheKeysToTheScreen(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		a := inLesson("N", "N")()
		var s screen
		if s.draw(a, size[0], size[1]); s.at.lesson.Empty() {
			t.Fatalf("%v: no lesson", size)
		}
		a.out = nil
		if keys(a, "right", "p", "W"); len(a.out) != 1 || a.out[0].Verb != engine.Set {
			t.Errorf("%v: the keys send %+v, want a change of a knob", size, a.out)
		}
		if s.draw(a, size[0], size[1]); !s.at.lesson.Empty() || s.at.shown == 0 {
			t.Errorf("%v: W does not hide the lesson", size)
		}
		if keys(a, "N"); a.over == nil {
			t.Errorf("%v: N does not ask the question", size)
		}
		if s.draw(a, size[0], size[1]); s.at.lesson.Empty() {
			t.Errorf("%v: the question is not visible", size)
		}
	}
}

// TestThePromptNamesTheKeysThatWork checks the prompt before and during an answer.
func TestThePromptNamesTheKeysThatWork(t *testing.T) {
	a := inLesson("N", "N")()
	var s screen
	for _, c := range []struct{ key, want, not string }{
		{"W", "", "N answer"}, {"W", "N answer the question", "? hint"}, {"N", "type, then enter: your prediction, in × (? hint)", "N answer"},
		{"esc", "N answer the question", "? hint"},
	} {
		keys(a, c.key)
		if text := s.draw(a, 80, 24).PlainText(); !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("after %s: want %q without %q:\n%s", c.key, c.want, c.not, text)
		}
	}
}

// TestALessonThatDoesNotOpen checks that the screen stays as it is.
func TestALessonThatDoesNotOpen(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	for _, key := range []string{"N", "H", "I"} {
		if keys(a, key); a.notice != noLesson || a.over != nil {
			t.Errorf("%s without a lesson: %q", key, a.notice)
		}
	}
	p := &program{ctx: t.Context(), app: a}
	a.course.opening = &Lesson{Name: "nothing"}
	a.lessonOpened(p.openLesson()().(lessonOpened))
	if a.course.player != nil || a.notice == "" {
		t.Errorf("an unknown lesson: notice %q", a.notice)
	}
}
