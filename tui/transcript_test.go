package tui

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestTranscripts presses keys on a screen of 80×24 and compares the first rows of the box that they open. Words in
// quotes are typed. The screen stays the same from one command to the next; "fresh" starts a new one with
// the recent commands of the last.
func TestTranscripts(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	var s screen
	datadriven.RunTest(t, "testdata/transcripts.txt", func(t *testing.T, d *datadriven.TestData) string {
		rows := 9
		if d.HasArg("rows") {
			d.ScanArgs(t, "rows", &rows)
		}
		switch d.Cmd {
		case "fresh":
			recent := a.recent
			a, s = shownApp(demo(4, 4, 4)), screen{}
			a.recent = recent
		case "keys":
		default:
			d.Fatalf(t, "want keys or fresh")
		}
		for line := range strings.Lines(d.Input) {
			if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "'") {
				keys(a, line)
			} else {
				keys(a, strings.Fields(line)...)
			}
		}
		lines := boxOf(s.draw(a, 80, 24).PlainText())
		var out strings.Builder
		if a.notice != "" {
			out.WriteString("notice: " + a.notice + "\n")
		}
		for _, line := range lines[:min(rows, len(lines))] {
			out.WriteString(line + "\n")
		}
		return out.String()
	})
}

// boxOf returns the lines of the box of the help or the command line, without the screen around it.
func boxOf(screen string) (lines []string) {
	x := 0
	for line := range strings.SplitSeq(screen, "\n") {
		if len(lines) == 0 {
			at := max(strings.Index(line, "╭ Help"), strings.Index(line, "╭ Command"))
			if at < 0 {
				continue
			}
			x = len([]rune(line[:at]))
		}
		row := []rune(line)[x:]
		for i, r := range row {
			if i > 0 && strings.ContainsRune("╮│╯", r) {
				row = row[:i+1]
				break
			}
		}
		lines = append(lines, string(row))
		if strings.ContainsRune(string(row), '╰') {
			break
		}
	}
	return lines
}
