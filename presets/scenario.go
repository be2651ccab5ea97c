package presets

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/internal/atomicfile"
)

//go:embed scenarios/*.toml
var scenarioFiles embed.FS

// Scenario is a workload with its knobs, and what there is to see, as plain data: a
// file states it. Whether there are such a workload and knobs is asked of the engine,
// which finds the place of a mistake with Wrong.
type Scenario struct {
	Name     string // the file's
	Title    string
	Watch    string // what to look at, and what to turn; "": nothing is said
	Paper    string // "paper 2, section 7.2"; "": none
	Workload string
	Pane     string // that has the focus; "": as the screen has it
	Turn     string // the knob that Watch turns first, and the cursor begins on; "": the workload's
	Knobs    []Knob // in the order of the file; the others stand at their defaults

	document *document // that it was read from; nil: none
}

// The keys of a scenario file.
var scenarioHeads = []string{"title", "watch", "paper", "workload", "pane", "turn", "knobs"}

func scenarioKey(key string) bool {
	head, knob, nested := strings.Cut(key, ".")
	return slices.Contains(scenarioHeads, head) && (!nested || head == "knobs" && isName(knob))
}

func mendScenarioKey(key string) string {
	if strings.HasPrefix(key, "knobs.") {
		return "a knob's name has lower-case letters, digits and dashes, at most 40"
	}
	return "there are " + strings.Join(scenarioHeads, ", ")
}

// Scenarios lists the scenarios by name: built-in ones and the user's, but for those
// that [SkippedScenarios] tells of.
func Scenarios() []string { return scenarioShelf.names() }

// SkippedScenarios tells which of the user's scenario files no list has, and why.
func SkippedScenarios() []Skipped {
	_, skipped := scenarioShelf.own()
	return skipped
}

// FindScenario gives a scenario by name, or by its file, which ends in .toml.
func FindScenario(name string) (Scenario, error) {
	if strings.HasSuffix(name, ".toml") {
		return LoadScenario(name)
	}
	file, data, err := scenarioShelf.find(name)
	if err != nil {
		return Scenario{}, err
	}
	return decodeScenario(file, data)
}

// LoadScenario reads a scenario file. Its name without .toml is the scenario's.
func LoadScenario(file string) (Scenario, error) {
	data, err := readFile(file)
	if err != nil {
		return Scenario{}, err
	}
	return decodeScenario(file, data)
}

// BuiltIn says that a scenario of this name comes along.
func BuiltIn(scenario string) bool { return slices.Contains(scenarioShelf.builtIn(), scenario) }

// decodeScenario reads a scenario out of a file's bytes.
func decodeScenario(file string, data []byte) (Scenario, error) {
	s := Scenario{Name: fileName(file)}
	if s.Name == "" {
		return Scenario{}, &mistake{file: file, text: "is no name for a scenario; use lower-case letters, digits and dashes, at most 40, and the ending .toml"}
	}
	d, err := parse(file, bytes.TrimPrefix(data, []byte("\ufeff")), scenarioKey, mendScenarioKey)
	if err != nil {
		return Scenario{}, err
	}
	r := &figureReader{document: d}
	s.Title = r.words("title", "what the scenario shows")
	s.Watch = r.words("watch", "")
	s.Paper = r.words("paper", "")
	s.Workload = r.name("workload", "randomaccess")
	if r.has("pane") {
		s.Pane = r.name("pane", "locality")
	}
	if r.has("turn") {
		s.Turn = r.name("turn", "group")
	}
	s.Knobs = r.knobs("knobs")
	if r.err != nil {
		return Scenario{}, r.err
	}
	s.document = d
	return s, nil
}

// Wrong words what is wrong at a key of the scenario's file: "knobs.group".
func (s *Scenario) Wrong(key string, err error) error {
	if s.document == nil {
		return fmt.Errorf("scenario %s: %s: %w", s.Name, key, err)
	}
	return s.document.fail(key, "%s", visible(err.Error()))
}

// CheckName refuses what the user's scenarios cannot be called.
func CheckName(name string) error {
	switch {
	case name == "" || fileName(name+".toml") != name:
		return fmt.Errorf("scenario %q: want a name of lower-case letters, digits and dashes, at most 40", shorten(visible(name)))
	case BuiltIn(name):
		return fmt.Errorf("scenario %s comes along with the program; take another name", name)
	}
	return nil
}

// SaveScenario writes a scenario among the user's, in place of one of that name, and
// gives its file.
func SaveScenario(ctx context.Context, s Scenario) (string, error) {
	if err := CheckName(s.Name); err != nil {
		return "", err
	}
	dir := scenarioShelf.home()
	if dir == "" {
		return "", fmt.Errorf("scenario %s: the system names no folder for it; set XDG_CONFIG_HOME", s.Name)
	}
	file := filepath.Join(dir, s.Name+".toml")
	text, err := s.encode()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return file, atomicfile.Write(ctx, file, text)
}

// encode writes a scenario as its file, and reads it back.
func (s *Scenario) encode() ([]byte, error) {
	var b bytes.Buffer
	for _, line := range []struct{ key, value string }{
		{"title", s.Title}, {"watch", s.Watch}, {"paper", s.Paper}, {"workload", s.Workload}, {"pane", s.Pane}, {"turn", s.Turn},
	} {
		if line.value != "" {
			fmt.Fprintf(&b, "%s = %s\n", line.key, strconv.Quote(line.value))
		}
	}
	if len(s.Knobs) > 0 {
		b.WriteString("\n[knobs]\n")
	}
	for _, k := range s.Knobs {
		value := strconv.Quote(k.Value)
		if n, err := strconv.ParseInt(k.Value, 10, 64); err == nil && strconv.FormatInt(n, 10) == k.Value {
			value = k.Value
		}
		fmt.Fprintf(&b, "%s = %s\n", k.Name, value)
	}
	back, err := decodeScenario(s.Name+".toml", b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("scenario %s cannot be written: %w", s.Name, err)
	}
	same := back.Title == s.Title && back.Watch == s.Watch && back.Paper == s.Paper && back.Workload == s.Workload && back.Pane == s.Pane && back.Turn == s.Turn
	if !same || !slices.Equal(back.Knobs, s.Knobs) {
		return nil, fmt.Errorf("scenario %s cannot be written: it has what a file does not state", s.Name)
	}
	return b.Bytes(), nil
}
