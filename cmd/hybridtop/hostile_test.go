package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/hybridtop/hybridtop/internal/hostile"
	"github.com/hybridtop/hybridtop/internal/race"
)

// wantPlain fails if a command writes a control character except tab and line feed. It returns the
// exit status and standard error.
func wantPlain(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := command(args, &out, &errs)
	hostile.Check(t, fmt.Sprintf("%q", args), out.String())
	hostile.Check(t, fmt.Sprintf("%q", args), errs.String())
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
	if race.Enabled {
		t.Skip("each program starts ten times slower")
	}
	dir := isolated(t)
	there, missing := filepath.Join(dir, hostile.Text+".toml"), filepath.Join(dir, hostile.Text+"2.toml")
	if err := os.WriteFile(there, []byte("[x\n"+hostile.Text), 0o644); err != nil {
		t.Fatal(err)
	}
	commands := [][]string{{hostile.Text}, {"run", hostile.Text}, {"list", hostile.Text}, {"list", "knobs", hostile.Text}, {"bench", hostile.Text},
		{"run", "dot", "--" + hostile.Text}, {"run", "dot", "--units", hostile.Text}, {"run", "dot", "--for", hostile.Text},
		{"run", "dot", "--group", hostile.Text}, {"machine", "show", hostile.Text}, {"reproduce", hostile.Text},
		{"model", "access", "--size", hostile.Text}, {"show", hostile.Text}, {"tune", "--ranks", hostile.Text},
		{"run", "dot", "--picture", hostile.Text}}
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
	baseline := filepath.Join(dir, hostile.Text+".json")
	if err := os.WriteFile(baseline, []byte(someRun), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"--csv", "--json"} {
		if code, errs := wantPlain(t, "run", "dot", "--fabric", "sim", "--iterations", "1", "--baseline", baseline, format); code != 0 {
			t.Errorf("a hostile baseline: status %d, %q", code, errs)
		}
	}
	wantPlain(t, hostile.Text, "--help")
	wantPlain(t, "run", hostile.Text, "--help")
	for _, c := range commands {
		if code, _ := wantPlain(t, c...); code == 0 {
			t.Errorf("%q succeeds", c)
		}
	}
	if code, errs := wantPlain(t, "record", "dot", "--fabric", "sim", "--nodes", "2", "--iterations", "1", "--out",
		filepath.Join(dir, hostile.Text+".htr")); code != 0 || !strings.Contains(errs, "recorded as") {
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
	if race.Enabled {
		t.Skip("each program starts ten times slower")
	}
	dir := isolated(t)
	good := smallRecording(t, dir)
	text := "'" + hostile.Text + "'"
	table := "\"" + hostile.Text + "\""
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
