package grid

import "testing"

func TestLineTyping(t *testing.T) {
	var l Line
	l.Insert("gröup\x1b[2J")
	l.Move(-4)
	l.Erase(-1)
	l.Erase(+1)
	l.Insert("X")
	if l.String() != "gröX[2J" {
		t.Errorf("the line is %q", l.String())
	}
	l.Erase(-LongestLine)
	l.Move(LongestLine)
	l.Erase(-LongestLine)
	if l.String() != "" {
		t.Errorf("left over: %q", l.String())
	}
}
