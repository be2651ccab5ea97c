package session

import (
	"strings"
	"testing"
)

// A scenario that does not fit is refused before a fabric hears of it, by the same
// limit that a knob is refused by and that the points of a sweep share.
func TestMemoryHasOneLimit(t *testing.T) {
	sc, err := Scenario("randomaccess")
	if err != nil {
		t.Fatal(err)
	}
	if err := sc.Set("machine", "this-host"); err != nil {
		t.Fatal(err)
	}
	o := onLive()
	o.Memory = 64 << 20
	s, err := New(sc, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := sc.Set("elements", "16000000"); err != nil {
		t.Fatal(err)
	}
	if _, err := New(sc, o); err == nil || !strings.Contains(err.Error(), "64 MiB are left") {
		t.Errorf("a scenario of 512 MB: %v", err)
	}
	if err := s.turn("elements", "16000000"); err == nil || !strings.Contains(err.Error(), "64 MiB are left") {
		t.Errorf("a knob at 512 MB: %v", err)
	}
}
