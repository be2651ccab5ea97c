package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	_ "modernc.org/sqlite"
)

// hostile is a text that a terminal would obey: the clipboard, the screen, C1, DEL and the order of
// text.
const hostile = "x\x1b]52;c;eA==\x07\x1b[2J\u009b31m\u202e\x7f"

// wantPlain fails if a command writes a control character except tab and line feed. It returns the
// exit status and standard error.
func wantPlain(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := command(args, &out, &errs)
	for _, b := range []*bytes.Buffer{&out, &errs} {
		bad := func(r rune) bool {
			return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
		}
		text := b.String()
		if at := strings.IndexFunc(text, bad); at >= 0 || strings.ToValidUTF8(text, "") != text {
			t.Errorf("%q writes %q", args, text[max(at-100, 0):min(max(at, 0)+100, len(text))])
		}
	}
	return code, errs.String()
}

// isolated keeps settings of this user away from a test.
func isolated(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("XDG_STATE_HOME", dir)
	return dir
}

// Names from the command line never reach the terminal raw: as missing files, as files with invalid
// content, and as values.
func TestHostileNames(t *testing.T) {
	dir := isolated(t)
	there, missing := filepath.Join(dir, hostile+".toml"), filepath.Join(dir, hostile+"2.toml")
	if err := os.WriteFile(there, []byte("[x\n"+hostile), 0o644); err != nil {
		t.Fatal(err)
	}
	commands := [][]string{{hostile}, {"run", hostile}, {"list", hostile}, {"list", "knobs", hostile}, {"bench", hostile},
		{"run", "dot", "--" + hostile}, {"run", "dot", "--units", hostile}, {"run", "dot", "--for", hostile},
		{"run", "dot", "--group", hostile}, {"machine", "show", hostile}, {"reproduce", hostile},
		{"model", "access", "--size", hostile}, {"show", hostile}, {"tune", "--ranks", hostile},
		{"run", "dot", "--picture", hostile}}
	for _, file := range []string{there, missing, dir} {
		for _, c := range [][]string{{"verify"}, {"replay"}, {"export", "--to", "csv"}, {"compare"}, {"machine", "show"},
			{"machine", "diff", "demo"}, {"show", "goal"}, {"run", "goal", "--trace"}, {"tune", "import", "--out", missing},
			{"tune", "show"}, {"tune", "export"}, {"calibrate", "--check"}, {"run", "dot", "--baseline"},
			{"run", "dot", "--preset"}, {"run", "dot", "--machine"}, {"run", "dot", "--table"},
			{"run", "dot", "--rank-file"}, {"calibrate", "--out"}, {"bench", "--peers"},
			{"record", "dot", "--fabric", "sim", "--nodes", "2", "--iterations", "1", "--out"}} {
			if c[0] != "bench" && (file != missing || c[0] != "record") { // record creates it, below
				commands = append(commands, append(c[:len(c):len(c)], file))
			}
		}
	}
	baseline := filepath.Join(dir, hostile+".json")
	if err := os.WriteFile(baseline, []byte(someRun), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"--csv", "--json"} {
		if code, errs := wantPlain(t, "run", "dot", "--fabric", "sim", "--iterations", "1", "--baseline", baseline, format); code != 0 {
			t.Errorf("a hostile baseline: status %d, %q", code, errs)
		}
	}
	wantPlain(t, hostile, "--help")
	wantPlain(t, "run", hostile, "--help")
	for _, c := range commands {
		if code, _ := wantPlain(t, c...); code == 0 {
			t.Errorf("%q succeeds", c)
		}
	}
	if code, errs := wantPlain(t, "record", "dot", "--fabric", "sim", "--nodes", "2", "--iterations", "1", "--out",
		filepath.Join(dir, hostile+".htr")); code != 0 || !strings.Contains(errs, "recorded as") {
		t.Errorf("recording into a hostile name: status %d, %q", code, errs)
	}
}

// smallRecording returns the bytes of a small recording.
func smallRecording(t *testing.T, dir string) []byte {
	t.Helper()
	file := filepath.Join(dir, "small.htr")
	if code, errs := wantPlain(t, "record", "pingpong", "--fabric", "sim", "--iterations", "1", "--timeline", "arrows", "--out",
		file); code != 0 {
		t.Fatal(errs)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// readers are the commands that read a recording.
var readers = [][]string{{"verify"}, {"compare"}, {"replay", "--picture", "/nowhere/x.svg"}, {"export", "--to", "csv"},
	{"export", "--to", "csv", "--table", "launches"}, {"export", "--to", "csv", "--table", "knobs"},
	{"export", "--to", "json"}, {"export", "--to", "perfetto"}, {"export", "--to", "openmetrics"},
	{"export", "--to", "benchfmt"}, {"export", "--to", "html"}, {"export", "--to", "cast"}}

// A recording whose schema, triggers and texts contain escape sequences is refused or shown without
// them, also if a run is added.
func TestCraftedRecordings(t *testing.T) {
	dir := isolated(t)
	good := smallRecording(t, dir)
	text := "'" + hostile + "'"
	table := "\"" + hostile + "\""
	for i, craft := range []string{
		"UPDATE launch SET workload=" + text,
		"UPDATE launch SET fabric=" + text + ", kind=" + text + ", detail=" + text + ", failure=" + text + ", hash=" + text,
		"UPDATE run SET version=" + text + ", build=" + text + ", sweep=" + text + ", goos=" + text + ", began_utc=" + text,
		"UPDATE knob SET value=" + text, "UPDATE knob SET name=" + text + "||i",
		"UPDATE knob SET type=" + text + ", unit=" + text + ", label=" + text + ", doc=" + text,
		"UPDATE metric SET unit=" + text + ", name=" + text + "||i", "UPDATE machine SET name=" + text + ", toml=" + text,
		"INSERT INTO mark SELECT id, 0, " + text + " FROM run",
		"UPDATE meta SET value=" + text,
		"CREATE TABLE " + table + "(x)", "CREATE VIEW " + table + " AS SELECT * FROM nowhere",
		"CREATE TRIGGER " + table + " BEFORE INSERT ON run BEGIN SELECT RAISE(ABORT, " + text + "); END",
		"CREATE TRIGGER t BEFORE UPDATE ON meta BEGIN SELECT RAISE(ABORT, " + text + "); END",
		"CREATE TRIGGER t BEFORE INSERT ON launch BEGIN INSERT INTO " + table + " VALUES (1); END",
		"DROP TABLE metric; CREATE TABLE metric(" + table + ")",
		"DROP TABLE sample; CREATE VIEW sample AS SELECT " + table + "." + table + " FROM nowhere",
		"PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql=" + text + " WHERE name='metric'",
		"PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql='CREATE TABLE '||" + text + " WHERE name='sample'",
		"PRAGMA writable_schema=1; UPDATE sqlite_schema SET name=" + text + ", tbl_name=" + text + " WHERE name='mark'",
	} {
		file := filepath.Join(dir, fmt.Sprintf("crafted%d.htr", i))
		if err := os.WriteFile(file, good, 0o644); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(craft); err != nil {
			t.Fatalf("%q: %v", craft, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		for _, c := range readers {
			wantPlain(t, append(c[:len(c):len(c)], file)...)
		}
		wantPlain(t, "record", "dot", "--fabric", "sim", "--nodes", "2", "--iterations", "1", "--out", file)
	}
}

// decoders are the commands that read a file, with a valid file.
func decoders(t *testing.T, dir string) map[string]struct {
	valid []byte
	args  []string
} {
	read := func(name string) []byte {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	type decoder = struct {
		valid []byte
		args  []string
	}
	const rules = "1\n7\n1\n4\n2\n0 1 0 0\n1024 2 0 0\n"
	const goalText = "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\n}\nrank 1 {\nl1: recv 8b from 0 tag 0\n}\n"
	const tableText = "schema = \"hybridtop.table.v1\"\nfabric = \"sim\"\nmachine = \"demo\"\n[[rule]]\ncollective = \"bcast\"\n" +
		"ranks = 2\nbytes = 0\nchoices = [ { algorithm = \"flat\" } ]\n"
	quick := []string{"run", "dot", "--fabric", "sim", "--nodes", "2", "--ranks-per-node", "1", "--group", "1", "--iterations", "1"}
	quick = quick[:len(quick):len(quick)]
	return map[string]decoder{
		"recording": {smallRecording(t, dir), []string{"export", "--to", "csv"}},
		"machine":   {read("../../presets/machines/demo.toml"), []string{"machine", "show"}},
		"scenario":  {read("../../presets/scenarios/locality-law.toml"), []string{"run", "--seed", "x", "--preset"}},
		"table":     {[]byte(tableText), []string{"tune", "show"}},
		"rules":     {[]byte(rules), []string{"tune", "import", "--out", filepath.Join(dir, "out.toml")}},
		"goal":      {[]byte(goalText), []string{"show", "goal"}},
		"baseline":  {[]byte(someRun), append(quick, "--baseline")},
		"ranking":   {[]byte("1\n0\n"), append(quick, "--rank-file")},
	}
}

// Mutated files of every decoder write no control characters: 2,000 per decoder with CONFORM=1.
// MUTATED_SEED repeats a hundred of them.
func TestMutatedFiles(t *testing.T) {
	dir := isolated(t)
	rounds, seed := 10, uint64(time.Now().UnixNano())
	if text := os.Getenv("MUTATED_SEED"); text != "" {
		rounds = 100
		if _, err := fmt.Sscan(text, &seed); err != nil {
			t.Fatal(err)
		}
	} else if os.Getenv("CONFORM") != "" {
		// Cobra stores the flags of every command for the lifetime of the process.
		for batch := range uint64(20) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMutatedFiles$")
			cmd.Env = append(os.Environ(), fmt.Sprint("MUTATED_SEED=", seed+batch))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("seed %d: %v\n%s", seed+batch, err, out)
			}
		}
		return
	}
	t.Logf("seed %d", seed)
	for name, d := range decoders(t, dir) {
		file := filepath.Join(dir, "mutated.toml")
		if err := os.WriteFile(file, d.valid, 0o644); err != nil {
			t.Fatal(err)
		}
		if code, errs := wantPlain(t, append(d.args[:len(d.args):len(d.args)], file)...); code != 0 && name != "scenario" {
			t.Fatalf("%s: the valid file: %s", name, errs)
		}
		rng := rand.New(rand.NewPCG(seed, uint64(len(name))))
		for range rounds {
			b := bytes.Clone(d.valid)
			for range 1 + rng.IntN(4) {
				at := rng.IntN(len(b) + 1)
				switch rng.IntN(4) {
				case 0:
					b = append(b[:at:at], append([]byte(hostile), b[at:]...)...)
				case 1:
					b = append(b[:at:at], b[min(at+rng.IntN(20), len(b)):]...)
				case 2:
					copy(b[at:], hostile)
				default:
					if at < len(b) {
						b[at] = byte(rng.IntN(256))
					}
				}
			}
			if err := os.WriteFile(file, b, 0o644); err != nil {
				t.Fatal(err)
			}
			wantPlain(t, append(d.args[:len(d.args):len(d.args)], file)...)
		}
	}
}

// Cells of CSV that a spreadsheet would run as formulas become texts, and JSON has the text itself.
func TestFormulas(t *testing.T) {
	var b bytes.Buffer
	if err := writeCSV(&b, []string{"name", "value"}, [][]string{{"=HYPERLINK(1)", "-3.5"}, {"@x", "+2"}}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "name,value\n'=HYPERLINK(1),-3.5\n'@x,+2\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	dir := isolated(t)
	file := filepath.Join(dir, "small.htr")
	smallRecording(t, dir)
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("INSERT INTO mark SELECT id, 0, '=1+1' FROM run"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := command([]string{"export", file, "--to", "csv", "--table", "marks"}, &out, &out); code != 0 ||
		!strings.Contains(out.String(), ",'=1+1\n") {
		t.Errorf("status %d, %q", code, out.String())
	}
	out.Reset()
	if code := command([]string{"export", file, "--to", "json"}, &out, &out); code != 0 ||
		!json.Valid(out.Bytes()) || !strings.Contains(out.String(), `"=1+1"`) {
		t.Errorf("status %d", code)
	}
}
