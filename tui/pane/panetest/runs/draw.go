package runs

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// Looks compares drawings by a new pane with the golden file of its package. It draws the run (such
// as Of) of every chosen workload that has data for the pane. With baseline set, the baseline is
// the same run on another machine.
func Looks(t *testing.T, spec *pane.Spec, run func(name string) Run, l panetest.Look, baseline bool) {
	t.Helper()
	n := 0
	for _, name := range Chosen() {
		s := run(name).On(t, "demo")
		if spec.Offered != nil && !spec.Offered(s) {
			continue
		}
		h, what := panetest.Host(s), fmt.Sprintf("%s: workload %s, %d×%d", spec.Name, name, l.W, l.H)
		if baseline {
			what += ", next to a baseline"
			h = panetest.NextTo(s, run(name).On(t, "osc-ibm1350"))
		}
		golden.Text(t, what, panetest.Draw(spec.New(), h, l))
		n++
	}
	if n == 0 {
		t.Errorf("no workload has anything for the pane %s", spec.Name)
	}
}
