package main

import (
	"fmt"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
)

// writeWaits writes the waits of a run without a critical path.
func (x *explanation) writeWaits(t *table) {
	w := x.waiting
	t.title(fmt.Sprintf("%s: waits of %s, %s in all (%s)", w.Scenario.Workload, plural(w.Threads, "thread"), timeText(w.Total), w.Kind))
	t.row("Only a simulation has a critical path: add --fabric sim.")
	t.row()
	t.head("wait in", "time", "share")
	for i := range w.Waits {
		t.row(w.Waits[i].Name, timeText(w.Waits[i].Span), share(w.Waits[i].Span, w.Total))
	}
}

// plural returns a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// waitsDocument is the JSON document of a run without a critical path.
type waitsDocument struct {
	Workload string          `json:"workload"`
	Threads  int             `json:"threads"`
	Ps       cluster.Time    `json:"time_ps"` // of all threads
	Reasons  []explainedTerm `json:"reasons"`
}
