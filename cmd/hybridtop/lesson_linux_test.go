package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/tty/ttytest"
)

// lessonScreen opens a command on a terminal, with stored answers in a folder.
func lessonScreen(t *testing.T, columns, rows int, folder string, args ...string) *ttytest.Terminal {
	t.Helper()
	if race.Enabled {
		t.Skip("the race detector makes the simulations of a lesson ten times slower")
	}
	cmd := program(t, args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+folder, "XDG_CONFIG_HOME="+folder)
	return ttytest.Start(t, columns, rows, cmd)
}

// TestALessonOnTheScreen types a wrong answer, quits, comes back to the next question, and types a right answer.
func TestALessonOnTheScreen(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		folder := t.TempDir()
		x := lessonScreen(t, size[0], size[1], folder, "lesson", "when-overlap-pays")
		x.Shows("You will find out")
		x.Type("N")
		x.Shows("1. The program")
		x.Type("N")
		x.Shows("2. Predict: one")
		x.Type("N")
		x.Shows("> ")
		x.Type("soon\r")
		x.Shows("prediction \"soon\"")
		x.Type("\x15?")
		x.Shows("Hint: Seven")
		x.Type("1.1\r")
		x.Shows("3 sure")
		x.Type("3\r")
		x.Shows("Not so. A factor of 1.2")
		x.Until("the result", func(text string) bool { return strings.Contains(text, "result") && strings.Contains(text, "1.4") })
		x.Type("N")
		x.Shows("3. Predict: more")
		x.Type("q")
		x.Ends(0)
		x.AsBefore()

		x = lessonScreen(t, size[0], size[1], folder, "lesson", "when-overlap-pays")
		x.Shows("3. Predict: more")
		x.Type("N3\r2\r")
		x.Shows("Right. You chose 3")
		x.Type("W")
		x.Until("the charts", func(text string) bool { return !strings.Contains(text, "Right.") })
		x.Type("q")
		x.Ends(0)
		x.AsBefore()
	}
}

// TestTheTourRuns waits until the tour has advanced by itself from a fresh state, and stops another one by a key.
func TestTheTourRuns(t *testing.T) {
	x := lessonScreen(t, 80, 24, t.TempDir(), "tour", "--time", "7s")
	x.Shows("Three minutes with hybridtop")
	x.Shows("Where is the data?")
	x.Shows("Your turn")
	x.Shows("the tour has ended")
	x.Type("q")
	x.Ends(0)
	x.AsBefore()

	x = lessonScreen(t, 80, 24, t.TempDir(), "tour", "--time", "1h")
	x.Shows("any key stops it")
	x.Type("N")
	x.Shows("N continue")
	x.Shows("Where is the data?")
	x.Type("q")
	x.Ends(0)
	x.AsBefore()
}

// TestALessonForAClass teaches with PgDn and PgUp while two students answer a question twice.
func TestALessonForAClass(t *testing.T) {
	class := t.TempDir()
	answers := func(name, typed string) {
		cmd := program(t, "lesson", "when-overlap-pays", "--twice", "--answers", filepath.Join(class, name))
		cmd.Stdin = strings.NewReader(typed)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	const forward, back = "\x1b[6~", "\x1b[5~"
	x := lessonScreen(t, 80, 24, t.TempDir(), "lesson", "when-overlap-pays", "--teach", "--answers", class)
	x.Shows("You will find out")
	x.Type(forward)
	x.Shows("1. The program")
	x.Type(forward)
	x.Shows("Answer alone. Answers: 0.")
	answers("ada.json", "\n\n1.1\n1\nq\n")
	answers("bob.json", "\n\n2\n3\nq\n")
	x.Shows("Answer alone. Answers: 2.")
	x.Type("qNz")
	x.Type(forward)
	x.Shows("convince your neighbour")
	x.Shows("alone: 2")
	answers("ada.json", "1.4\n2\nq\n")
	x.Type(forward)
	x.Shows("after talking: 1")
	x.Type(forward)
	x.Shows("The answer is 1.4")
	x.Type(back)
	x.Shows("The second vote. Answers: 1.")
	x.Type("\x03")
	x.Ends(0)
	x.AsBefore()
}
