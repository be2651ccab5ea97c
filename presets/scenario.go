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
	"github.com/hybridtop/hybridtop/internal/inputfile"
)

//go:embed scenarios/*.toml
var scenarioFiles embed.FS

// Scenario is a workload with its knobs, and a text about what to watch. It is plain data from a
// file. The engine checks that the workload and the knobs exist; Wrong adds the position in the
// file to its errors.
type Scenario struct {
	Name      string // name of the file
	Title     string
	Watch     string   // what the run shows; "": no text
	Steps     []string // things to do, in order, and their results; none: no text
	Paper     string   // "paper 2, section 7.2"; "": none
	Workload  string
	Pane      string // pane that has the focus; "": the screen's default
	FirstKnob string // the knob that Steps set first; the cursor starts on it; "": the workload's
	Knobs     []Knob // in the order of the file; other knobs have their defaults
	Expect    []Expectation

	document *document // source document; nil: none
}

// Text returns the whole text of a scenario: Watch and the Steps.
func (s *Scenario) Text() string {
	return strings.TrimSpace(s.Watch + " " + strings.Join(s.Steps, " "))
}

// The keys of a scenario file.
var scenarioHeads = []string{"title", "watch", "steps", "paper", "workload", "pane", "turn", "knobs", "expect"}

func scenarioKey(key string) bool {
	head, knob, nested := strings.Cut(key, ".")
	if head == "expect" {
		return expectationKey(key)
	}
	return slices.Contains(scenarioHeads, head) && (!nested || head == "knobs" && isName(knob))
}

func suggestScenarioKey(key string) string {
	switch {
	case strings.HasPrefix(key, "expect."):
		return "a table [[expect]] has " + strings.Join(expectationParts, ", ")
	case strings.HasPrefix(key, "knobs."):
		return "a knob's name has lower-case letters, digits and dashes, at most 40"
	}
	return "want one of " + strings.Join(scenarioHeads, ", ")
}

// Scenarios returns the names of the built-in scenarios and of the user's, without the files that
// [SkippedScenarios] reports.
func Scenarios() []string { return scenarioCatalog.names() }

// SkippedScenarios returns the user's scenario files that lists omit, with the reasons.
func SkippedScenarios() []Skipped {
	_, skipped := scenarioCatalog.userFiles()
	return skipped
}

// FindScenario returns the scenario with a name. A name that ends in .toml is a file.
func FindScenario(name string) (Scenario, error) {
	if strings.HasSuffix(name, ".toml") {
		return LoadScenario(name)
	}
	file, data, err := scenarioCatalog.find(name)
	if err != nil {
		return Scenario{}, err
	}
	return decodeScenario(file, data)
}

// LoadScenario reads a scenario file. The scenario's name is the file name without .toml.
func LoadScenario(file string) (Scenario, error) {
	data, err := inputfile.Read(file, MaxFile)
	if err != nil {
		return Scenario{}, err
	}
	return decodeScenario(file, data)
}

// BuiltIn reports whether a scenario with this name is built in.
func BuiltIn(scenario string) bool { return slices.Contains(scenarioCatalog.builtIn(), scenario) }

// decodeScenario decodes the bytes of a scenario file.
func decodeScenario(file string, data []byte) (Scenario, error) {
	s := Scenario{Name: fileName(file)}
	if s.Name == "" {
		return Scenario{}, &mistake{file: file, text: "invalid name for a scenario; use lower-case letters, digits and " +
			"dashes, at most 40, and the ending .toml"}
	}
	d, err := parse(file, bytes.TrimPrefix(data, []byte("\ufeff")), scenarioKey, suggestScenarioKey)
	if err != nil {
		return Scenario{}, err
	}
	r := &figureReader{document: d}
	s.Title = r.words("title", "what the scenario shows")
	s.Watch = r.words("watch", "")
	if r.has("steps") {
		s.Steps = r.names("steps", "things to do, in quotes")
	}
	s.Paper = r.words("paper", "")
	s.Workload = r.name("workload", "randomaccess")
	if r.has("pane") {
		s.Pane = r.name("pane", "locality")
	}
	if r.has("turn") {
		s.FirstKnob = r.name("turn", "group")
	}
	s.Knobs = r.knobs("knobs")
	s.Expect = r.expectations()
	if r.err != nil {
		return Scenario{}, r.err
	}
	s.document = d
	return s, nil
}

// Wrong adds the position of a key in the scenario's file, for example "knobs.group", to an error.
func (s *Scenario) Wrong(key string, err error) error {
	if s.document == nil {
		return fmt.Errorf("scenario %s: %s: %w", s.Name, key, err)
	}
	return s.document.fail(key, "%s", visible(err.Error()))
}

// CheckName returns an error if a user's scenario cannot have this name.
func CheckName(name string) error {
	switch {
	case name == "" || fileName(name+".toml") != name:
		return fmt.Errorf("scenario %q: want a name of lower-case letters, digits and dashes, at most 40",
			shorten(visible(name)))
	case BuiltIn(name):
		return fmt.Errorf("scenario %s is built in; use another name", name)
	}
	return nil
}

// SaveScenario writes a scenario to the user's folder and returns its file. It replaces a scenario
// with the same name.
func SaveScenario(ctx context.Context, s Scenario) (string, error) {
	if err := CheckName(s.Name); err != nil {
		return "", err
	}
	dir := scenarioCatalog.home()
	if dir == "" {
		return "", fmt.Errorf("scenario %s: this system has no folder for user files; set XDG_CONFIG_HOME", s.Name)
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

// CheckFile returns an error if a scenario file cannot have this name.
func CheckFile(file string) error {
	if fileName(file) == "" {
		return fmt.Errorf("%q: want a file name of lower-case letters, digits and dashes, at most 40, and the ending .toml",
			shorten(visible(file)))
	}
	return nil
}

// WriteScenario writes a scenario file atomically. The scenario gets the name of the file.
func WriteScenario(ctx context.Context, file string, s Scenario) error {
	if err := CheckFile(file); err != nil {
		return err
	}
	s.Name = fileName(file)
	text, err := s.encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(ctx, file, text)
}

// encode returns the file of a scenario. It reads it back to check that it is equal.
func (s *Scenario) encode() ([]byte, error) {
	var b bytes.Buffer
	for _, line := range []struct{ key, value string }{
		{"title", s.Title}, {"watch", s.Watch}, {"paper", s.Paper}, {"workload", s.Workload}, {"pane", s.Pane},
		{"turn", s.FirstKnob},
	} {
		if line.value != "" {
			fmt.Fprintf(&b, "%s = %s\n", line.key, strconv.Quote(line.value))
		}
	}
	if len(s.Steps) > 0 {
		b.WriteString("steps = [\n")
		for _, step := range s.Steps {
			fmt.Fprintf(&b, "  %s,\n", strconv.Quote(step))
		}
		b.WriteString("]\n")
	}
	if len(s.Knobs) > 0 {
		b.WriteString("\n[knobs]\n")
	}
	for _, k := range s.Knobs {
		fmt.Fprintf(&b, "%s = %s\n", k.Name, k.encode())
	}
	for i := range s.Expect {
		b.WriteString(s.Expect[i].encode())
	}
	back, err := decodeScenario(s.Name+".toml", b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("scenario %s cannot be written: %w", s.Name, err)
	}
	same := back.Title == s.Title && back.Watch == s.Watch && back.Paper == s.Paper && back.Workload == s.Workload &&
		back.Pane == s.Pane && back.FirstKnob == s.FirstKnob && slices.Equal(back.Steps, s.Steps)
	if !same || !slices.Equal(back.Knobs, s.Knobs) || !slices.EqualFunc(back.Expect, s.Expect, Expectation.equal) {
		return nil, fmt.Errorf("scenario %s cannot be written: it has values that a file cannot contain", s.Name)
	}
	return b.Bytes(), nil
}

// encode returns a knob's value as TOML writes it: whole numbers without quotes.
func (k *Knob) encode() string {
	if n, err := strconv.ParseInt(k.Value, 10, 64); err == nil && strconv.FormatInt(n, 10) == k.Value {
		return k.Value
	}
	return strconv.Quote(k.Value)
}
