package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// byName are the ways to test a fabric's name.
var byName = []struct {
	packages string
	way      *regexp.Regexp
	why      string
}{
	{"engine/workload/*", regexp.MustCompile(`"fab` + `ric"|"li` + `ve"|"si` + `m"`),
		"a workload never knows whether its time is real: ask its Rank or its Site for what it needs"},
	{"**", regexp.MustCompile(`\.Na` + `me\(\) *[!=]= *"(li` + `ve|si` + `m|mp` + `i)"`),
		"a fabric states its clock, and what only some can do is an optional interface"},
	{"engine/session", regexp.MustCompile(`\*si` + `m\.Run|\*li` + `ve\.`), "test a run for cluster.Virtual"},
}

func asksByName(pkg string, text []byte) (found, why string) {
	for _, rule := range byName {
		if f := rule.way.Find(text); f != nil && matches(rule.packages, pkg) {
			return string(f), rule.why
		}
	}
	return "", ""
}

// No code depends on a fabric's name.
func TestNoFabricByName(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.path)))
		if err != nil {
			t.Fatal(err)
		}
		if found, why := asksByName(f.pkg, text); found != "" {
			t.Errorf("%s contains %s: %s", f.path, found, why)
		}
	}
}

// The rule also works on text that is not in the tree.
func TestNameRule(t *testing.T) {
	for _, c := range []struct {
		pkg, text string
		fails     bool
	}{
		{"engine/workload/dot", `if p.Text("fab` + `ric") == engine.Sim {`, true},
		{"engine/workload/dot", `if r.Phantoms() {`, false},
		{"engine/workload/dot", `reason := "refused; use fabric = sim"`, false},
		{"engine/session", `o.Fabrics[sc.Text("fab` + `ric")]`, false},
		{"engine/session", `s, ok := r.(*si` + `m.Run)`, true},
		{"engine/session", `case s.fabric.Na` + `me() == "si` + `m":`, true},
		{"tui", `if f.Na` + `me() != "li` + `ve" {`, true},
	} {
		if found, _ := asksByName(c.pkg, []byte(c.text)); (found != "") != c.fails {
			t.Errorf("%s in %s: found %q, want a failure: %v", c.text, c.pkg, found, c.fails)
		}
	}
}
