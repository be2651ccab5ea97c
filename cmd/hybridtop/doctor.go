package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	resources "github.com/hybridtop/hybridtop/cluster/host"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/internal/build"
	"github.com/hybridtop/hybridtop/internal/safetext"
	"github.com/hybridtop/hybridtop/internal/xdg"
	"github.com/hybridtop/hybridtop/tui"
)

func newDoctor() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "check terminal, memory, timers and folders of this host",
		Long: "Check what hybridtop finds on this host: terminal, characters, colours, cores, memory limit, timers, MPI " +
			"libraries, the program of MPI jobs and writable folders. " +
			"Each result has a state. With the state note, something works less well than it could, and the hint is " +
			"how to improve it. With the state problem, something does not work, and the exit status is 1.",
		Example: "hybridtop doctor",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("doctor: unexpected argument %q (hybridtop doctor)", args[0])
			}
			return nil
		},
	}
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, done := interruptible(cmd.Context())
		defer done()
		all := diagnose(ctx, cmd.OutOrStdout())
		if code := interruption(ctx); code != 0 {
			code.say(cmd.ErrOrStderr())
			return code
		}
		l := listing{what: "checks", columns: []string{"check", "found", "state", "hint"}}
		problems := 0
		for _, d := range all {
			var value any
			if d.unit != "" {
				value = d.value
			}
			l.entries = append(l.entries, entry{{"check", d.check}, {"found", safetext.Clean(d.found)}, {"value", value},
				{"unit", d.unit}, {"state", d.state()}, {"hint", safetext.Clean(d.hint)}})
			if d.broken {
				problems++
			}
		}
		if err := l.write(cmd.OutOrStdout(), out); err != nil {
			return err
		}
		if problems > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "hybridtop: doctor found problems: %d\n", problems)
			return status(1)
		}
		return nil
	}
	return cmd
}

// diagnosis is one result of doctor.
type diagnosis struct {
	check, found string
	value        float64 // with a unit
	unit         string  // SI; "": the result is not a number
	hint         string  // "": nothing to improve
	broken       bool    // something does not work
}

func (d *diagnosis) state() string {
	switch {
	case d.broken:
		return "problem"
	case d.hint != "":
		return "note"
	}
	return "ok"
}

// diagnose checks this host.
func diagnose(ctx context.Context, w io.Writer) []diagnosis {
	return slices.Concat(
		[]diagnosis{{check: "program", found: programText(build.This(), sim.Revision)}},
		diagnoseTerminal(w), diagnoseCores(), diagnoseMemory(resources.Limit(), resources.Bounds()),
		diagnoseTimers(), diagnoseMPI(ctx), diagnoseFolders(),
	)
}

// diagnoseTerminal checks what the screen needs from the terminal.
func diagnoseTerminal(w io.Writer) []diagnosis {
	name := os.Getenv("TERM")
	d := diagnosis{check: "terminal", found: name}
	if name == "" {
		d.found = "TERM is not set"
	}
	f, ok := terminalFile(w)
	switch {
	case !ok:
		d.found += ", standard output is not a terminal"
		d.hint = "the screen needs a terminal; run, sweep and record do not"
	case !term.IsTerminal(os.Stdin.Fd()):
		d.found += ", standard input is not a terminal"
		d.hint = "the screen reads keys from a terminal: start it without a pipe"
	case (name == "" || name == "dumb") && runtime.GOOS != "windows":
		d.hint = "name the terminal: export TERM=xterm-256color"
	}
	if ok {
		if columns, rows, err := term.GetSize(f.Fd()); err == nil {
			d.found += fmt.Sprintf(", %d×%d", columns, rows)
			if d.hint == "" && (columns < tui.FullColumns || rows < tui.FullRows) {
				d.hint = fmt.Sprintf("for six panes, enlarge the window to %d×%d or more", tui.FullColumns, tui.FullRows)
			}
		}
	}
	characters := diagnosis{check: "characters", found: "UTF-8"}
	if new(tui.Options).UsesASCII() {
		characters.found = "ASCII"
		if name != "linux" && name != "dumb" {
			characters.hint = "for finer charts: export LC_ALL=C.UTF-8"
		}
	}
	// A pipe has no colours. The environment describes the terminal around it.
	profile := colorprofile.Env(os.Environ())
	if ok {
		profile = colorprofile.Detect(w, os.Environ())
	}
	colors := diagnosis{check: "colours", found: map[colorprofile.Profile]string{
		colorprofile.TrueColor: "24 bits", colorprofile.ANSI256: "256", colorprofile.ANSI: "16"}[profile]}
	switch {
	case os.Getenv("NO_COLOR") != "":
		colors.found = "none (NO_COLOR)"
		colors.hint = "for colours: unset NO_COLOR"
	case colors.found == "":
		colors.found = "none"
		colors.hint = "for colours: export TERM=xterm-256color"
	case profile != colorprofile.TrueColor:
		colors.hint = "if the terminal has 24-bit colours: export COLORTERM=truecolor"
	}
	return []diagnosis{d, characters, colors}
}

// diagnoseCores checks how many ranks can run at the same time.
func diagnoseCores() []diagnosis {
	cores, usable := runtime.NumCPU(), runtime.GOMAXPROCS(0)
	d := diagnosis{check: "cores", found: fmt.Sprint(usable), value: float64(usable), unit: "1"}
	switch {
	case usable < cores:
		d.found = fmt.Sprintf("%d of %d", usable, cores)
		d.hint = "a control group or GOMAXPROCS limits the cores"
	case cores == 1:
		d.hint = "ranks take turns: for times of many ranks, simulate (--fabric sim)"
	}
	return []diagnosis{d}
}

// leastMemory is the memory of the default scenario with room for its charts.
const leastMemory = 256 << 20

// diagnoseMemory checks the limit that runs are admitted by.
func diagnoseMemory(limit int64, bounds []resources.Bound) []diagnosis {
	if limit == 0 {
		return []diagnosis{{check: "memory limit", found: "unknown on this system",
			hint: "to refuse runs that are too large: export GOMEMLIMIT=4GiB"}}
	}
	d := diagnosis{check: "memory limit", found: inUnits.Bytes().String(float64(limit)), value: float64(limit), unit: "B"}
	var texts []string
	for _, b := range bounds {
		texts = append(texts, b.Name+" "+inUnits.Bytes().String(float64(b.Bytes)))
	}
	if len(texts) > 0 {
		d.found += " (" + strings.Join(texts, ", ") + ")"
	}
	if limit < leastMemory {
		d.broken = true
		d.hint = fmt.Sprintf("raise the lowest limit to %s or more", inUnits.Bytes().String(leastMemory))
	}
	return []diagnosis{d}
}

// Limits of good timers. The live fabric polls the clock, and an emulation sleeps until
// shortly before a transfer ends.
const (
	goodStep = time.Microsecond
	goodRead = 200 * time.Nanosecond
	goodLate = time.Millisecond
)

// diagnoseTimers measures the accuracy of the clock and of sleeps.
func diagnoseTimers() []diagnosis {
	const rounds, reads, sleeps, pause = 20, 1000, 15, time.Millisecond
	step, read := time.Hour, time.Hour
	for range rounds { // the best round is not interrupted
		begin := time.Now()
		last := begin
		for range reads {
			now := time.Now()
			if d := now.Sub(last); d > 0 {
				step = min(step, d)
			}
			last = now
		}
		read = min(read, last.Sub(begin)/reads)
	}
	clock := diagnosis{check: "clock", found: fmt.Sprintf("step %v, a reading takes %v", step, read), value: step.Seconds(),
		unit: "s"}
	if step > goodStep || read > goodRead {
		clock.hint = "short measured times are inaccurate: use a host whose clock source is tsc or arch_sys_counter"
	}
	var late []time.Duration
	for range sleeps {
		begin := time.Now()
		time.Sleep(pause)
		late = append(late, time.Since(begin)-pause)
	}
	slices.Sort(late)
	median := late[sleeps/2]
	sleep := diagnosis{check: "sleep", found: fmt.Sprintf("%v ends %v late (median)", pause, median.Round(time.Microsecond)),
		value: median.Seconds(), unit: "s"}
	if median > goodLate {
		sleep.hint = "the host is busy or its timers are coarse: stop other programs, or use a larger --dilation"
	}
	return []diagnosis{clock, sleep}
}

// folders are the folders that the program writes, with a way to choose others.
func folders() [][3]string {
	here, err := os.Getwd()
	if err != nil {
		here = ""
	}
	return [][3]string{
		{"settings folder", xdg.Config(), "set HOME or XDG_CONFIG_HOME to a writable folder"},
		{"state folder", xdg.State(), "set HOME or XDG_STATE_HOME to a writable folder"},
		{"temporary folder", os.TempDir(), "set TMPDIR to a writable folder"},
		{"current folder", here, "name files in a writable folder: --out /tmp/run.htr"},
	}
}

// diagnoseFolders checks that the program can write its files.
func diagnoseFolders() []diagnosis {
	var all []diagnosis
	for _, f := range folders() {
		d := diagnosis{check: f[0], found: f[1]}
		if err := writable(f[1]); err != nil {
			d.hint = f[2]
			d.broken = f[0] == "temporary folder" // the others only limit what the program remembers and where
			d.found = strings.TrimPrefix(d.found+": "+err.Error(), ": ")
		}
		all = append(all, d)
	}
	return all
}

// page is written to find a full disk.
var page [4096]byte

// writable returns an error if no file can be written in a folder. A folder that does not exist
// needs a writable parent.
func writable(folder string) error {
	if folder == "" {
		return errors.New("unknown")
	}
	for {
		info, err := os.Stat(folder)
		switch parent := filepath.Dir(folder); {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is not a folder", folder)
		case err == nil:
			f, err := os.CreateTemp(folder, ".hybridtop-*.tmp")
			if err != nil {
				return fmt.Errorf("not writable: %w", reasonOf(err))
			}
			_, err = f.Write(page[:])
			if err == nil {
				err = f.Sync()
			}
			_ = f.Close()
			_ = os.Remove(f.Name())
			if err != nil {
				return fmt.Errorf("not writable: %w", reasonOf(err))
			}
			return nil
		case !os.IsNotExist(err) || parent == folder:
			return fmt.Errorf("cannot be read: %w", reasonOf(err))
		default:
			folder = parent
		}
	}
}

// reasonOf returns an error without the name of the file.
func reasonOf(err error) error {
	if path := new(fs.PathError); errors.As(err, &path) {
		return path.Err
	}
	return err
}
