//go:build unix

package bench

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/internal/inputfile"
)

// stage creates folders for launchers and programs, and a launcher that runs its program at once.
func stage(t *testing.T) (folder string, program func(body string)) {
	t.Helper()
	bin, folder := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	write := func(path, body string) {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(bin, "mpirun.mpich"), `shift 4; "$1"; exit $?`)
	return folder, func(body string) { write(filepath.Join(folder, "mt.mpich"), body) }
}

// mt runs one program, and returns its values and the reasons for skipped parts.
func mt(t *testing.T, ctx context.Context, limit time.Duration, folder string) (*PeerRuns, string) {
	t.Helper()
	runs := runPeersFor(ctx, limit, folder, "mt")
	var said []string
	for _, s := range runs.skipped["mt"] {
		if !strings.HasPrefix(s, "mt.openmpi") { // no such program
			said = append(said, s)
		}
	}
	return runs, strings.Join(said, "\n")
}

// Lines with invalid values are reported, and the other values remain, also in JSON.
func TestPeersWithInvalidValues(t *testing.T) {
	folder, program := stage(t)
	program(`echo "mt1_lat_8B 100 ns"
echo "mt1_msgrate_8B_w64 nan Mmsg/s"
echo "mt2_lat_8B inf ns"
echo "mt2_msgrate_8B_w64 -inf Mmsg/s"
echo "mt2_msgrate_8B_w64 0 Mmsg/s"
echo "mt2_msgrate_8B_w64 -3 Mmsg/s"
echo "mt2_msgrate_8B_w64 1e400 Mmsg/s"
echo "mt2_msgrate_8B_w64 1e300 Mmsg/s"
echo "mt2_msgrate_8B_w64 7 Mmsg/s"`)
	runs, said := mt(t, t.Context(), peerTime, folder)
	rows := []Row{{Name: "mt1_lat_8B", Unit: seconds}, {Name: "mt1_msgrate_8B_w64", Unit: perSecond},
		{Name: "mt2_lat_8B", Unit: seconds}, {Name: "mt2_msgrate_8B_w64", Unit: perSecond}}
	runs.addTo(rows)
	if _, err := json.Marshal(rows); err != nil {
		t.Error(err)
	}
	for i, want := range []int{1, 0, 0, 1} {
		if got := len(rows[i].Peers); got != want {
			t.Errorf("%s has %d peers, want %d: %+v", rows[i].Name, got, want, rows[i].Peers)
		}
	}
	if p := rows[3].Peers[0]; p.Value != 7e6 || p.Limit != 0 || p.Ratio != 0 {
		t.Errorf("peer %+v, want 7 M/s, without a limit", p)
	}
	for _, want := range []string{
		`mt.mpich printed an invalid value in line 2: "mt1_msgrate_8B_w64 nan Mmsg/s"`,
		`line 3: "mt2_lat_8B inf ns"`, `line 4: `, `line 5: `, `line 6: `, `line 7: `, `line 8: `,
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no line has %s:\n%s", want, said)
		}
	}
	if strings.Contains(said, "line 1: ") || strings.Contains(said, "line 9: ") {
		t.Errorf("valid values are reported:\n%s", said)
	}
}

// A program with endless output is terminated, and its earlier output is used.
func TestPeersWithTooMuchOutput(t *testing.T) {
	folder, program := stage(t)
	program(`echo "mt1_lat_8B 100 ns"; exec yes "mt1_lat_8B is a line that is no figure"`)
	runs, said := mt(t, t.Context(), peerTime, folder)
	if said != "mt.mpich skipped: printed more than 1 MiB" || len(runs.figures["mt1_lat_8B"]) != 1 {
		t.Errorf("%q, figures %v", said, runs.figures)
	}
}

// A program that does not end is terminated together with all its children.
func TestPeerChildrenEnd(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit time.Duration
		stop  error
		want  string
	}{
		{"at the time limit", 2 * time.Second, nil, "mt.mpich skipped: did not end in 2s"},
		{"when interrupted", time.Hour, errors.New("interrupt"), "mt.mpich skipped: interrupt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder, program := stage(t)
			fifo := filepath.Join(t.TempDir(), "alive")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Skip(err)
			}
			// A grandchild keeps the pipe open as long as it runs.
			program("(echo ready; exec sleep 36000) >" + fifo + " & wait")
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			dead := make(chan error, 1)
			go func() {
				f, err := os.Open(fifo)
				if err != nil {
					dead <- err
					return
				}
				_, err = f.Read(make([]byte, 1))
				if c.stop != nil {
					stop(c.stop)
				}
				_, rest := io.ReadAll(f)
				dead <- errors.Join(err, rest, f.Close())
			}()
			if _, said := mt(t, ctx, c.limit, folder); said != c.want {
				t.Errorf("%q, want %q", said, c.want)
			}
			if err := <-dead; err != nil {
				t.Error(err)
			}
		})
	}
}

// Only regular files run. For other files there is no wait.
func TestPeersAreRegularFiles(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a pipe":   func(p string) error { return syscall.Mkfifo(p, 0o755) },
		"a folder": func(p string) error { return os.Mkdir(p, 0o755) },
		"a device": func(p string) error { return os.Symlink("/dev/zero", p) },
	} {
		folder, _ := stage(t)
		if err := make(filepath.Join(folder, "mt.mpich")); err != nil {
			t.Fatal(err)
		}
		if _, said := mt(t, t.Context(), peerTime, folder); !strings.Contains(said, "mt.mpich: not a regular file") {
			t.Errorf("%s: %q", name, said)
		}
	}
}

// The opened file is run, even if its name belongs to another file afterwards.
func TestPeersRunOpenedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho first\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := inputfile.Open(path, inputfile.Unlimited)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	by := descriptor(f, path)
	if by == path {
		t.Skip("this system has no path to an open file")
	}
	if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte("#!/bin/sh\necho second\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), by).Output(); err != nil || string(out) != "first\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// A program's path is absolute, so that launchers do not parse it as an option. Its error messages
// cannot move the terminal's cursor.
func TestPeerPathsAreNotOptions(t *testing.T) {
	folder, program := stage(t)
	program(`printf 'a \033[2Jbad \007 word' >&2; exit 4`)
	t.Chdir(filepath.Dir(folder))
	odd := "-x"
	if err := os.Rename(folder, odd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Rename(odd, folder) })
	if _, said := mt(t, t.Context(), peerTime, odd); said != "mt.mpich skipped: exit status 4: a  [2Jbad   word" {
		t.Errorf("%q", said)
	}
	if got := printable(strings.Repeat("x", 1000)); got != strings.Repeat("x", longestComplaint)+"…" {
		t.Errorf("%d runes of 1000 are shown", len([]rune(got)))
	}
}
