package main

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/shapes"
)

// TestInterruptedShapes tests that the table and the CSV list a shape that an interruption has ended.
func TestInterruptedShapes(t *testing.T) {
	sc, err := session.Scenario("heat")
	if err != nil {
		t.Fatal(err)
	}
	x := shapesText{&shapes.Report{Scenario: sc, Shapes: []*shapes.Shape{{Ranks: 1, Threads: 2, Time: 7, Place: 1},
		{Ranks: 2, Threads: 1, Interrupted: true}}}}
	var text, csv strings.Builder
	if err := x.write(&text, &format{}); err != nil {
		t.Fatal(err)
	}
	if err := x.write(&csv, &format{csv: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(text.String(), "\nno result\n  2 × 1  not finished (interrupted)\n") ||
		!strings.HasSuffix(csv.String(), "\n2,1,0,,0,0,,,not finished (interrupted)\n") {
		t.Errorf("got\n%s\n%s", &text, &csv)
	}
}
