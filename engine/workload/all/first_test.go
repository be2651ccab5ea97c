package all_test

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	"github.com/hybridtop/hybridtop/engine/workload"
)

const (
	contrast   = 1.3 // least ratio of the headline results before and after the first turn
	maxReasons = 3   // workloads that state a reason instead
)

// TestFirstTurn presses → once on the headline knob of each workload at its defaults. The sentence
// about this change states a ratio of at least contrast, or why nothing changes. With CONFORM=1 the
// workloads also run on the live fabric.
func TestFirstTurn(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute under the race detector")
	}
	fabrics := []string{engine.Sim}
	if os.Getenv("CONFORM") != "" {
		fabrics = append(fabrics, engine.Live)
	}
	for _, fabric := range fabrics {
		t.Run(fabric, func(t *testing.T) {
			reasons := 0
			for _, w := range workload.All() {
				if w.Name == "ring" { // the example of CONTRIBUTING, in no program
					continue
				}
				t.Run(w.Name, func(t *testing.T) {
					text := firstTurn(t, w.Name, fabric)
					t.Log(text)
					if strings.Contains(text, "no difference: ") && strings.Contains(text, "; ") {
						reasons++
					} else if ratio(text) < contrast {
						t.Errorf("%q, want a ratio of at least %v", text, contrast)
					}
				})
			}
			if reasons > maxReasons {
				t.Errorf("%d workloads give a reason, want at most %d", reasons, maxReasons)
			}
		})
	}
}

// firstTurn returns the sentence about one press of → on the workload's headline knob. On the live fabric,
// a small ratio is repeated with more iterations, and a missing one with a larger dilation: the median of three
// alternating rounds of both settings.
func firstTurn(t *testing.T, name, fabric string) string {
	s, err := session.Scenario(name)
	if err != nil {
		t.Fatal(err)
	}
	kind, iterations := engine.Simulated, 4
	if fabric == engine.Live {
		kind = engine.Emulated
	}
	k, err := s.Knob(workload.First(&s, kind))
	if err != nil {
		t.Fatal(err)
	}
	dilation := "auto"
	run := func(knobs ...string) *engine.Snapshot {
		end, err := sessiontest.Run(name, nil, iterations, append([]string{"fabric", fabric, "dilation", dilation}, knobs...)...)
		if err != nil {
			t.Fatalf("%s on %s: %v", name, fabric, err)
		}
		return end
	}
	round := func() string {
		before, after := run(), run(k.Name, k.Next(s.Text(k.Name), 1))
		checkPreview(t, k.Name, before, after)
		return session.Change(before, after)
	}
	texts := []string{round()}
	if fabric == engine.Live && ratio(texts[0]) < contrast {
		if texts[0] == "" { // the host did not keep up
			dilation = "2000"
		} else {
			iterations = 25
		}
		texts = []string{round(), round(), round()}
	}
	slices.SortFunc(texts, func(a, b string) int { return cmp.Compare(ratio(a), ratio(b)) })
	return texts[len(texts)/2]
}

// ratio returns the ratio that a sentence states, or 0.
func ratio(text string) float64 {
	before, _, found := strings.Cut(text, "×")
	if !found {
		return 0
	}
	x, err := strconv.ParseFloat(before[strings.LastIndexByte(before, ' ')+1:], 64)
	if err != nil {
		return 0
	}
	return x
}

// checkPreview compares the preview of a change with the modelled metrics of the runs before and after it.
func checkPreview(t *testing.T, knob string, before, after *engine.Snapshot) {
	t.Helper()
	p, ok := session.PreviewOf(&before.Scenario, knob, after.Scenario.Text(knob), nil)
	if !ok {
		return
	}
	t.Logf("%s: preview of %s: %s %.3g→%.3g %s", before.Scenario.Workload, knob, p.Phrase, p.Before, p.After, p.Unit)
	has := func(s *engine.Snapshot, value float64) bool {
		return slices.ContainsFunc(s.Metrics, func(m engine.Metric) bool {
			return m.Kind == engine.Modelled && m.Unit == p.Unit && m.Value == value
		})
	}
	if !has(before, p.Before) || !has(after, p.After) {
		t.Errorf("%s: the preview is %+v, the runs have\n%v\n%v", before.Scenario.Workload, p, before.Metrics, after.Metrics)
	}
}
