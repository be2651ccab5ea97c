package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/calibrate"
	"github.com/hybridtop/hybridtop/presets"
)

// calibrated returns an invented calibration.
func calibrated(t *testing.T) *calibrate.Result {
	t.Helper()
	m, err := presets.Machine("demo")
	if err != nil {
		t.Fatal(err)
	}
	m.Name = "laptop"
	return &calibrate.Result{
		Machine: m.Name,
		Model: &calibrate.Model{
			Machine: m,
			Numbers: []calibrate.Number{{Key: "in_node.latency_s", Unit: "s", Value: 120e-9,
				Range: calibrate.Range{Low: 110e-9, High: 130e-9}, Residual: .25, Worst: .5, Points: 13, To: "ping-pong"}},
			Limits: []string{"a rank a core"},
		},
		Times: []calibrate.Time{{Kind: "pingpong", X: 8, Seconds: 200e-9, Noise: .1}},
		Checks: []calibrate.Check{{Program: "barrier", At: "2 ranks", Live: 200e-9, Simulated: 250e-9, Error: .25, Noise: .05,
			LiveRange: calibrate.Range{Low: 190e-9, High: 210e-9}, SimulatedRange: calibrate.Range{Low: 240e-9, High: 260e-9}}},
		Noise: .07,
	}
}

func TestCalibrationTable(t *testing.T) {
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetOut(&out)
	if err := writeCalibration(cmd, calibrated(t), "live"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^in_node\.latency_s +120 ns +110 ns +130 ns +25\.0 % +50\.0 % +13 +ping-pong$`,
		`(?m)^not in the machine\n- a rank a core$`,
		`(?m)^program +at +live, measured +95 % from +to +simulated +95 % from +to +error +noise *$`,
		`(?m)^barrier +2 ranks +200 ns +190 ns +210 ns +250 ns +240 ns +260 ns +\+25\.0 % +5\.0 % *$`,
		`(?m)^median error, all +25\.0 %$`,
		`(?m)^without noisy ones +median error 25\.0 % \(at most 10\.0 %\), worst 25\.0 % at barrier 2 ranks \(at most 35\.0 %\); noisy 0 of 1 \(at most a quarter\): not met$`,
		`(?m)^host noise +7\.0 %`,
	} {
		if !regexp.MustCompile(want).Match(out.Bytes()) {
			t.Errorf("no line %s in\n%s", want, &out)
		}
	}
}

// docs/json.md names every field that calibrate writes, and each number has a kind.
func TestCalibrationJSON(t *testing.T) {
	text, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## `hybridtop calibrate --json`\n")
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string]bool{}
	for _, c := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(section, -1) {
		documented[c[1]] = true
	}
	var out bytes.Buffer
	if err := writeJSON(&out, calibrationJSON(calibrated(t), "live", 2, 3)); err != nil {
		t.Fatal(err)
	}
	var written map[string]any
	if err := json.Unmarshal(out.Bytes(), &written); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(written))); diff != "" {
		t.Errorf("-documented +written:\n%s", diff)
	}
	check := written["checks"].([]any)[0].(map[string]any)
	for field, want := range map[string]any{
		"live":      map[string]any{"value": 200e-9, "unit": "s", "kind": "measured"},
		"simulated": map[string]any{"value": 250e-9, "unit": "s", "kind": "simulated"},
		"error":     .25,
	} {
		if diff := cmp.Diff(want, check[field]); diff != "" {
			t.Errorf("%s:\n%s", field, diff)
		}
	}
	if written["median_error"] != .25 || written["errors"].(map[string]any)["barrier"] != .25 {
		t.Errorf("errors %v, median %v; want 0.25", written["errors"], written["median_error"])
	}
}

func TestSavedMachineLoads(t *testing.T) {
	r := calibrated(t)
	file := filepath.Join(t.TempDir(), "laptop.toml")
	if err := saveMachine(t.Context(), file, r); err != nil {
		t.Fatal(err)
	}
	back, err := presets.LoadMachine(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Model.Machine, back); diff != "" {
		t.Errorf("-saved +loaded:\n%s", diff)
	}
	r.Model.Machine.Classes[cluster.InNode].Latency = -1
	if err := saveMachine(t.Context(), filepath.Join(t.TempDir(), "laptop.toml"), r); err == nil {
		t.Error("a machine with a negative latency was saved")
	}
}
