package recording_test

import (
	"bufio"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
)

// child is the environment variable with the file that a child process records into until it is
// killed.
const child = "HYBRIDTOP_RECORDING_CHILD"

// printer is an observer that prints the progress of the session.
type printer struct{ engine.Observer }

func (o printer) Published(s *engine.Snapshot) {
	o.Observer.Published(s)
	fmt.Println("at", int64(s.Elapsed))
}

// TestChild is not a test: it is the process that the other tests kill.
func TestChild(t *testing.T) {
	file := os.Getenv(child)
	if file == "" {
		t.Skip("run only as a child process")
	}
	limitFiles(t)
	w, err := recording.Create(file)
	if err != nil {
		fmt.Println("failed:", err)
		return
	}
	r, err := w.Begin(recording.Facts{Began: time.Now()})
	if err != nil {
		fmt.Println("failed:", err)
		return
	}
	s, err := session.New(scenario(t, "randomaccess", "machine", "this-host", "nodes", "1", "ranks-per-node", "2",
		"group", "2", "timeline", "on"),
		session.Options{Fabrics: session.Fabrics(), Observer: printer{r}})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(t.Context())
	<-w.Failed()
	_ = s.Stop()
	fmt.Println("failed:", w.Close())
}

// start starts the child, and returns its output.
func start(t *testing.T, file string, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v")
	c.Env = append(append(os.Environ(), child+"="+file), env...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c, bufio.NewScanner(out)
}

// whole fails if SQLite finds an error in a file, or if a snapshot cannot be read. It returns the
// length of the recording.
func whole(t *testing.T, file string) time.Duration {
	t.Helper()
	f := open(t, file)
	length := time.Duration(0)
	for _, run := range f.Runs {
		launches, err := f.Launches(run.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(launches) == 0 {
			continue
		}
		p, err := f.Player(run.ID)
		if err != nil {
			continue // interrupted before the first snapshot
		}
		for at, ok := p.Begin(), true; ok; at, ok = p.Next(at) {
			if _, err := p.At(at); err != nil {
				t.Fatal(err)
			}
		}
		length = p.Length
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatal(verdict, err)
	}
	return length
}

// TestKilled tests that a process that is killed at any moment leaves a valid file. The file can be opened
// even if it is copied without its journal. With CONFORM=1 the test kills a hundred times, and at most one second
// may be lost, by the times of the snapshots.
func TestKilled(t *testing.T) {
	rounds, conform := 2, os.Getenv("CONFORM") != ""
	if testing.Short() {
		rounds = 1
	}
	if conform {
		rounds = 100
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var losses []time.Duration
	for round := range rounds {
		file := filepath.Join(t.TempDir(), "run.htr")
		c, lines := start(t, file)
		last, until := int64(0), int64(300+rng.IntN(1500))*int64(time.Millisecond)
		for last < until && lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "at "); ok {
				last, _ = strconv.ParseInt(text, 10, 64)
			}
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		if b, err := os.ReadFile(file); err == nil && len(b) > 0 {
			alone := filepath.Join(t.TempDir(), "copy.htr")
			if err := os.WriteFile(alone, b, 0o644); err != nil {
				t.Fatal(err)
			}
			// otherwise it was killed inside a transaction
			if info, err := os.Stat(file + "-journal"); err != nil || info.Size() == 0 {
				whole(t, alone)
			}
		}
		length := whole(t, file)
		lost := time.Duration(last) - length
		if conform && lost > time.Second {
			t.Errorf("round %d: killed at %v, the file ends at %v", round, time.Duration(last), length)
		}
		losses = append(losses, lost)
	}
	slices.Sort(losses)
	t.Logf("%d kills: the median loss is %v, the longest %v", rounds, losses[len(losses)/2], losses[len(losses)-1])
}

// Two writers of one file each have their own run.
func TestTwoWriters(t *testing.T) {
	file := filepath.Join(t.TempDir(), "both.htr")
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			record(t, file,
				scenario(t, "randomaccess", "fabric", "sim", "machine", "demo", "elements", "4096", "accesses", "64"),
				session.Limits{Iterations: 3}, nil)
		})
	}
	wg.Wait()
	whole(t, file)
	f := open(t, file)
	if len(f.Runs) != 2 || !f.Runs[0].Finished || !f.Runs[1].Finished {
		t.Fatalf("%+v", f.Runs)
	}
	for _, run := range f.Runs {
		if l, err := f.Launches(run.ID); err != nil || len(l) != 1 || l[0].Iterations != 3 || l[0].Virtual == nil {
			t.Errorf("run %d: %+v, %v", run.ID, l, err)
		}
	}
}

// small returns a recording of a few kilobytes.
func small(t testing.TB) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "small.htr")
	record(t, file, scenario(t, "pingpong", "fabric", "sim", "machine", "demo", "timeline", "arrows"),
		session.Limits{Iterations: 1}, nil)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The error for another file distinguishes it from a damaged recording.
func TestOpenErrors(t *testing.T) {
	good := small(t)
	change := func(at int, with ...byte) []byte {
		b := append([]byte{}, good...)
		copy(b[at:], with)
		return b
	}
	number := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	for want, b := range map[string][]byte{
		"is empty: not a recording":                        {},
		"is not a recording (hybridtop record writes one)": []byte("hello, this is a text of mine"),
		"is not a recording: SQLite file of another program": change(68,
			number(7)...),
		"is a recording of format 9: this program reads formats 1 to 3 (written by a newer program)": change(60,
			number(9)...),
		"is truncated: 60 bytes": good[:60],
		"truncated: ":            good[:len(good)-4096],
		"is damaged":             change(100, make([]byte, 900)...),
		"wrong checksum":         flipped(good, "frame"),
	} {
		file := filepath.Join(t.TempDir(), "a.htr")
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
		err := readAll(file)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
		if w, err := recording.Create(file); err == nil && len(b) > 0 && !strings.Contains(want, "checksum") {
			t.Errorf("%s: accepted for writing", want)
			_ = w.Close()
		} else if err == nil {
			_ = w.Close()
		}
	}
	if err := readAll(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
	if _, err := recording.Create(filepath.Join(t.TempDir(), "no", "a.htr")); err == nil ||
		!strings.Contains(err.Error(), "a.htr cannot be created (its folder is missing or not writable") {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "a.htr")
	if err := os.WriteFile(file, good, 0o444); err != nil {
		t.Fatal(err)
	}
	if w, err := recording.Create(file); err == nil {
		t.Error("accepted a write-protected file")
		_ = w.Close()
	} else if !strings.Contains(err.Error(), "a.htr is write-protected") {
		t.Error(err)
	}
}

// flipped changes a bit of a block of snapshots.
func flipped(b []byte, _ string) []byte {
	b = append([]byte{}, b...)
	at := strings.LastIndex(string(b), "\x28\xb5\x2f\xfd") // a Zstandard frame
	b[at+20] ^= 4
	return b
}

// readAll reads everything in a file.
func readAll(file string) error {
	f, err := recording.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, run := range f.Runs {
		launches, err := f.Launches(run.ID)
		if err != nil {
			return err
		}
		for i := range launches {
			if _, err := f.Iterations(launches[i].ID); err != nil {
				return err
			}
		}
		p, err := f.Player(run.ID)
		if err != nil {
			return err
		}
		for at, ok := p.Begin(), true; ok; at, ok = p.Next(at) {
			if _, err := p.At(at); err != nil {
				return err
			}
		}
		for _, x := range recording.Formats {
			if err := f.Export(discard{}, x.Name, recording.ExportOptions{Run: run.ID}); err != nil {
				return err
			}
		}
	}
	return nil
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// Changed bytes at any position, or a missing end, cause an error or do no harm.
func FuzzOpen(f *testing.F) {
	good := small(f)
	f.Add(uint32(100), []byte{0, 0, 0}, uint32(0))
	f.Add(uint32(4096), []byte{255, 255, 255, 255}, uint32(0))
	f.Add(uint32(40), []byte{1}, uint32(5000))
	f.Fuzz(func(t *testing.T, at uint32, patch []byte, cut uint32) {
		b := append([]byte{}, good...)
		copy(b[int(at)%len(b):], patch)
		b = b[:len(b)-int(cut)%len(b)]
		file := filepath.Join(t.TempDir(), "a.htr")
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
		_ = readAll(file)
	})
}

// The same at a few random positions.
func TestDamageDoesNoHarm(t *testing.T) {
	good := small(t)
	const seed = 5
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	refused, rounds := 0, 60
	if testing.Short() {
		rounds = 10
	}
	for range rounds {
		b := append([]byte{}, good...)
		for range 1 + rng.IntN(20) {
			b[rng.IntN(len(b))] = byte(rng.IntN(256))
		}
		file := filepath.Join(t.TempDir(), "a.htr")
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if readAll(file) != nil {
			refused++
		}
	}
	t.Logf("%d of %d were refused", refused, rounds)
}

// Texts of a file never reach a terminal as commands.
func TestTextsAreCleaned(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.htr")
	if err := os.WriteFile(file, small(t), 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{`UPDATE launch SET workload='p'||char(27)||'[2J', failure=char(155)||'x'`,
		`UPDATE knob SET value=char(7)`, `UPDATE metric SET unit=char(27)`, `UPDATE run SET version=char(27)`} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f := open(t, file)
	l, err := f.Launches(f.Runs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v %+v", f.Runs, l[0].Scenario.Values) + l[0].Scenario.Workload + l[0].Failure +
		l[0].Metrics[0].Unit; strings.ContainsAny(text, "\x1b\x07\u009b") {
		t.Errorf("%q", text)
	}
}

// If another program has an open transaction, the error says that the file is being written, and
// not that it is damaged.
func TestOpenWhileWriting(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for five seconds")
	}
	file := filepath.Join(t.TempDir(), "a.htr")
	if err := os.WriteFile(file, small(t), 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+file+"?_txlock=exclusive&_pragma=cache_size(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec(`UPDATE launch SET detail=hex(zeroblob(1000000))`); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file + "-journal"); err != nil || info.Size() == 0 {
		t.Fatal("no journal", err)
	}
	if _, err := recording.Open(file); err == nil ||
		!strings.Contains(err.Error(), "is locked by another program that writes to it") {
		t.Error(err)
	}
}
