package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docs/json.md names exactly the fields that run, sweep, model and bench write.
func TestJSONDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	cell := regexp.MustCompile("(?m)^\\| ((?:`[a-z_]+`(?:, )?)+) \\|")
	name := regexp.MustCompile("`([a-z_]+)`")
	for title, args := range map[string]string{
		"run":   "run dot --machine this-host --iterations 2 --json",
		"sweep": "sweep randomaccess --machine this-host --iterations 2 --nodes 1 --group 1,2,4 --json",
		"model": "model epsilon --json",
		"bench": "bench --only put8 --rounds 1 --json",
	} {
		_, section, found := strings.Cut(string(text), "\n## `hybridtop "+title+" --json`\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if !found {
			t.Fatalf("no section on %s", title)
		}
		documented := map[string]bool{}
		for _, c := range cell.FindAllStringSubmatch(section, -1) {
			for _, n := range name.FindAllStringSubmatch(c[1], -1) {
				documented[n[1]] = true
			}
		}
		var stdout, stderr bytes.Buffer
		if code := command(strings.Fields(args), &stdout, &stderr); code != 0 {
			t.Fatalf("%s: exit status %d\n%s", args, code, &stderr)
		}
		var written map[string]any
		if err := json.Unmarshal(stdout.Bytes(), &written); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(written))); diff != "" {
			t.Errorf("%s (-documented +written):\n%s", title, diff)
		}
	}
}

// The README and this package's comment list every command.
func TestCommandsDocument(t *testing.T) {
	for _, file := range []string{"../../README.md", "doc.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range newRoot().Commands() {
			if !c.Hidden && !strings.Contains(string(text), "hybridtop "+c.Name()) {
				t.Errorf("%s does not know hybridtop %s", file, c.Name())
			}
		}
	}
}
