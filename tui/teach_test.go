package tui

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine/lesson"
)

// votesOf returns a class of students whose first predictions to the first two questions of the lesson spread, and whose second
// ones come closer to the answers.
func votesOf() lesson.Class {
	l, _ := overlapRuns()
	c := lesson.Class{Folder: "class"}
	var asked []int
	for i := range l.Steps {
		if l.Steps[i].Ask != nil {
			asked = append(asked, i)
		}
	}
	number, choice := &l.Steps[asked[0]], &l.Steps[asked[1]]
	for i, x := range []float64{1, 1.1, 1.1, 1.2, 1.3, 1.4, 2, 4} {
		a := lesson.Answers{Lesson: l.Name, Answers: []lesson.Answer{
			{Question: number.Heading, Kind: number.Ask.Kind, Prediction: (x + 1.4) / 2, Result: 1.4, Confidence: 2,
				First: &lesson.Vote{Prediction: x, Confidence: 1}},
			{Question: choice.Heading, Kind: choice.Ask.Kind, Prediction: float64(1 + i%3), Result: 3, Confidence: 3},
		}}
		c.Answers = append(c.Answers, a)
	}
	return c
}

// inClass returns the screen of a teacher after n steps of a clicker.
func inClass(n int) func() *app {
	return func() *app {
		a := shownApp(demo(4, 4, 4))
		l, r := overlapRuns()
		a.lessonOpened(lessonOpened{of: Lesson{Name: overlapLesson, Teach: true}, player: lesson.NewTeacher(l, r, votesOf()), runs: r})
		a.w, a.h = 120, 40
		for range n {
			keys(a, "pgdown")
		}
		return a
	}
}

// TestAClickerTeachesALesson presses PgDn to the end of a lesson and PgUp to its beginning, on screens of all sizes. Each press changes
// the lesson or its position, and no other key does.
func TestAClickerTeachesALesson(t *testing.T) {
	type place struct{ step, stage, top int }
	for _, size := range [][2]int{{80, 24}, {120, 40}, {300, 90}} {
		a := inClass(0)()
		a.w, a.h = size[0], size[1]
		now := func() place {
			step, _ := a.course.player.Step()
			return place{step, int(a.course.player.Stage()), a.course.top}
		}
		var all []place
		votes := 0
		for !a.quit {
			p := now()
			if len(all) > 100 {
				t.Fatalf("%v: the lesson does not end: %v", size, p)
			}
			all = append(all, p)
			if a.course.player.Stage() == lesson.VotedAgain && p.top == 0 {
				votes++
			}
			for _, key := range []string{"q", "N", "z", "right", "C", ":", "?", "esc"} {
				if keys(a, key); a.over != nil || a.quit || now() != p {
					t.Fatalf("%v: %s acts", size, key)
				}
			}
			keys(a, "pgdown")
		}
		if votes != 4 || len(slices.Compact(all)) != len(all) {
			t.Errorf("%v: %d votes on the way %v, want 4", size, votes, all)
		}
		for range 100 {
			keys(a, "pgup")
		}
		if now() != all[0] {
			t.Errorf("%v: PgUp ends at %v, want %v", size, now(), all[0])
		}
	}
}

// TestTheTextForTeachersIsForTheClass finds the teacher's text only in a lesson for a class.
func TestTheTextForTeachersIsForTheClass(t *testing.T) {
	l, r := overlapRuns()
	has := func(lines []string) bool {
		return slices.ContainsFunc(lines, func(s string) bool { return len(s) >= 8 && s[:8] == "Teacher." })
	}
	for _, of := range []*lesson.Player{lesson.NewTeacher(l, r, lesson.Class{}), taught()} {
		seen := false
		for i := 0; of.Stage() != lesson.Over && i < 100; i++ {
			seen = seen || has(of.Lines(60))
			if of.Class() != nil {
				of.Forward()
				continue
			}
			_ = of.Take("1")
		}
		if want := of.Class() != nil; seen != want {
			t.Errorf("the text for teachers: %t, want %t", seen, want)
		}
	}
}

// TestTheVotesAreReadAgain writes an answer while the question is shown.
func TestTheVotesAreReadAgain(t *testing.T) {
	folder := t.TempDir()
	a := inClass(2)()
	a.course.player.SetClass(lesson.Class{Folder: folder})
	p := &program{ctx: t.Context(), app: a}
	read := func() bool {
		a.course.read = time.Time{}
		return a.classRead(p.readClass(time.Now())().(classRead), time.Now())
	}
	if read() {
		t.Error("an empty folder has votes")
	}
	class := votesOf()
	if err := class.Answers[0].Save(t.Context(), filepath.Join(folder, "ada.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "other.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if !read() || len(a.course.player.Class().Answers) != 1 || a.course.player.Class().Skipped != 1 {
		t.Errorf("the class is %+v, want one student and one skipped file", a.course.player.Class())
	}
	if p.readClass(a.course.read.Add(classEvery/2)) != nil {
		t.Error("the folder is read again within the interval")
	}
}
