package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/tty/ttytest"
)

// screen opens the screen on its own terminal.
func screen(t *testing.T, columns, rows int, args ...string) *ttytest.Terminal {
	t.Helper()
	return ttytest.Start(t, columns, rows, program(t, append([]string{"--machine", "this-host"}, args...)...))
}

// child returns the child of a process, and waits until it starts.
func child(t *testing.T, x *ttytest.Terminal, of int) int {
	t.Helper()
	found := 0
	x.Until(fmt.Sprintf("a child of %d", of), func(string) bool {
		tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", of))
		for _, task := range tasks {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", of, task.Name()))
			if f := strings.Fields(string(b)); len(f) > 0 {
				found, _ = strconv.Atoi(f[0])
			}
		}
		return found != 0
	})
	return found
}

func send(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := unix.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

// The screen opens at any size, and leaves the terminal as it found it.
func TestScreenLeavesTheTerminal(t *testing.T) {
	for _, c := range []struct {
		name          string
		columns, rows int
		args          []string
		shown, keys   string
	}{
		{"q at 20x5", 20, 5, nil, "running", "q"},
		{"Ctrl-C", 200, 50, nil, "Cluster", "\x03"},
		{"a deadlocked program", 80, 24, []string{"--workload", "headtohead", "--eager-limit", "0"}, "deadlock", "q"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := screen(t, c.columns, c.rows, c.args...)
			x.Shows(c.shown)
			x.Type(c.keys)
			x.Ends(0)
			x.AsBefore()
		})
	}
}

// A signal to the process that the user has started, to the one that draws, or to
// both ends the screen with 128 + signal, and its name on standard error.
func TestScreenEndsBySignal(t *testing.T) {
	for s, tos := range map[syscall.Signal][]string{
		unix.SIGHUP: {"holder"}, unix.SIGINT: {"holder", "group"}, unix.SIGQUIT: {"holder"}, unix.SIGABRT: {"program"},
		unix.SIGTERM: {"holder", "program", "group"},
	} {
		for _, to := range tos {
			t.Run(unix.SignalName(s)+" to the "+to, func(t *testing.T) {
				x := screen(t, 80, 24)
				x.Shows("Bandwidth")
				pid := map[string]int{"holder": x.Pid(), "program": child(t, x, x.Pid()), "group": -x.Pid()}[to]
				send(t, pid, s)
				x.Ends(128 + int(s))
				x.AsBefore()
				// answers of the terminal may stand on the screen before it
				x.Wrote("hybridtop: interrupted by " + unix.SignalName(s))
			})
		}
	}
}

// Signals that a Go program cannot handle as a request to end are a crash.
func TestScreenEndsByAFault(t *testing.T) {
	x := screen(t, 100, 40)
	x.Shows("Bandwidth")
	send(t, child(t, x, x.Pid()), unix.SIGSEGV)
	// The runtime prints the stacks and exits with 2. If the signal interrupts a stack that the runtime cannot print, it
	// dies by the signal.
	x.Ends(2, 128+int(unix.SIGSEGV))
	x.AsBefore()
	x.Wrote("SIGSEGV: segmentation violation")
}

func TestScreenIsKilled(t *testing.T) {
	x := screen(t, 100, 24)
	x.Shows("Bandwidth")
	send(t, child(t, x, x.Pid()), unix.SIGKILL)
	x.Ends(128 + int(unix.SIGKILL))
	x.AsBefore()
	x.Shows("hybridtop: ended by SIGKILL; the system may be out of memory")
}

// If the process that holds the terminal is killed, the program restores the terminal and ends.
func TestHolderIsKilled(t *testing.T) {
	x := screen(t, 80, 24)
	x.Shows("Bandwidth")
	drawing := child(t, x, x.Pid())
	send(t, x.Pid(), unix.SIGKILL)
	x.Ends(128 + int(unix.SIGKILL))
	x.AsBefore()
	x.Until("the end of the program", func(string) bool { return unix.Kill(drawing, 0) != nil })
}

// A bug ends the screen, restores the terminal, and prints the reason.
func TestScreenBreaks(t *testing.T) {
	for how, want := range map[string]string{
		"session":   "panic: broken in the session",
		"goroutine": "panic: broken in a goroutine",
		"map":       "fatal error: concurrent map",
		"memory":    "fatal error: ",
		"deadlock":  "fatal error: sync: unlock of unlocked mutex",
	} {
		t.Run(how, func(t *testing.T) {
			cmd := program(t, "--machine", "this-host", "--workload", "broken")
			cmd.Path, cmd.Args[0] = strings.TrimSuffix(cmd.Path, "hybridtop")+"hybridtop-broken", "hybridtop-broken"
			cmd.Env = append(os.Environ(), "BREAK="+how, "GOTRACEBACK=none")
			x := ttytest.Start(t, 100, 40, cmd)
			x.Ends(2)
			x.Wrote(want)
			x.AsBefore()
		})
	}
}

// A panic of a rank is a failure of the run: the screen shows it and continues.
func TestRankBreaks(t *testing.T) {
	cmd := program(t, "--machine", "this-host", "--workload", "broken")
	cmd.Path, cmd.Args[0] = strings.TrimSuffix(cmd.Path, "hybridtop")+"hybridtop-broken", "hybridtop-broken"
	cmd.Env = append(os.Environ(), "BREAK=rank")
	x := ttytest.Start(t, 120, 40, cmd)
	x.Shows("broken in the rank")
	x.Type("q")
	x.Ends(0)
	x.AsBefore()
}

// A terminal that does not read (a stalled SSH) does not block the end of the screen. When it reads
// again, it is restored.
func TestStalledTerminal(t *testing.T) {
	for _, s := range []syscall.Signal{unix.SIGTERM, unix.SIGHUP, unix.SIGKILL} {
		t.Run(unix.SignalName(s), func(t *testing.T) {
			x := screen(t, 80, 24)
			x.Shows("Bandwidth")
			x.Stall()
			to := x.Pid()
			if s == unix.SIGKILL {
				to = child(t, x, x.Pid())
			}
			send(t, to, s)
			x.Ends(128 + int(s))
			x.Read()
			x.AsBefore()
		})
	}
}

// A closed terminal ends the screen, even if SIGHUP is ignored.
func TestTerminalIsGone(t *testing.T) {
	for name, trap := range map[string]string{"a terminal that hangs up": "", "under nohup": "trap '' HUP;"} {
		t.Run(name, func(t *testing.T) {
			cmd := program(t)
			x := ttytest.Start(t, 80, 24,
				exec.CommandContext(t.Context(), "sh", "-c", trap+" exec "+cmd.Path+" --machine this-host"))
			x.Shows("Bandwidth")
			drawing := child(t, x, x.Pid())
			x.HangUp()
			x.Ends(128 + int(unix.SIGHUP))
			x.Until("the end of the program", func(string) bool { return unix.Kill(drawing, 0) != nil })
		})
	}
}

// The screen follows its terminal's size.
func TestResize(t *testing.T) {
	x := screen(t, 80, 24)
	x.Shows("Bandwidth")
	x.Resize(20, 5)
	x.Until("a screen of 20 columns", func(text string) bool {
		return !strings.Contains(text, "Bandwidth") && strings.Contains(text, "running")
	})
	x.Resize(80, 24)
	x.Shows("Bandwidth")
	x.Type("q")
	x.Ends(0)
	x.AsBefore()
}

// A terminal without a size has 80×24 cells until its size arrives.
func TestTerminalWithoutASize(t *testing.T) {
	x := ttytest.Start(t, 80, 24, exec.CommandContext(t.Context(), "sh", "-c",
		"stty rows 0 columns 0; exec "+program(t).Path+" --machine this-host"))
	x.Shows("Bandwidth")
	x.Resize(20, 5)
	x.Until("a screen of 20 columns", func(text string) bool {
		return !strings.Contains(text, "Bandwidth") && strings.Contains(text, "running")
	})
	x.Type("q")
	x.Ends(0)
}

// The screen draws the first cells of a huge terminal, and ends.
func TestHugeTerminal(t *testing.T) {
	if race.Enabled {
		t.Skip("the emulator draws each cell")
	}
	x := ttytest.Start(t, 80, 24, exec.CommandContext(t.Context(), "sh", "-c",
		"stty rows 10000 columns 10000; GOGC=25 exec "+program(t).Path+" --machine this-host")) // garbage depends on the load
	x.Wrote("Bandwidth")
	pid := child(t, x, x.Pid())
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	if kib := statusLine(string(status), "VmHWM:"); kib > 300<<10 {
		t.Errorf("the screen takes %d MiB", kib>>10)
	}
	x.Type("q")
	x.Ends(0)
	x.AsBefore()
}

// statusLine returns the number of a line of a status file in /proc.
func statusLine(status, name string) int64 {
	_, rest, _ := strings.Cut(status, name)
	n := int64(0)
	_, _ = fmt.Sscan(rest, &n)
	return n
}

// A dumb terminal gets an error without a control sequence.
func TestDumbTerminal(t *testing.T) {
	x := ttytest.Start(t, 200, 24, exec.CommandContext(t.Context(), "sh", "-c",
		"TERM=dumb exec "+program(t).Path+" --machine this-host"))
	x.Ends(1)
	x.Shows("TERM is dumb")
	x.Shows("use hybridtop run randomaccess")
	if strings.Contains(x.Text(), "Bandwidth") {
		t.Error("the screen opens")
	}
}

// A limit of the address space that is too low ends the command with a hint.
func TestLittleAddressSpace(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector needs more")
	}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "ulimit -v 1000000; exec "+program(t).Path+" list knobs").
		CombinedOutput()
	want := "hybridtop: address space: limit of 976 MiB, want at least 2048 MiB (run: ulimit -v unlimited)\n"
	if err == nil || string(out) != want {
		t.Errorf("%v: %.200s, want %s", err, out, want)
	}
}

// A paused or ended screen waits for events: it needs little of a core, and the system rarely
// switches to it. A screen without focus draws nothing.
func TestIdleScreenRests(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("measures for some seconds, without the race detector")
	}
	for name, c := range map[string]struct {
		args        []string
		keys, shows string
	}{
		"a paused run":        {[]string{}, " ", "paused"},
		"a paused simulation": {[]string{"--fabric", "sim", "--machine", "frontier"}, " ", "paused"},
		"a failed run":        {[]string{"--workload", "headtohead", "--eager-limit", "0"}, "", "deadlock"},
	} {
		t.Run(name, func(t *testing.T) {
			x := screen(t, 120, 40, c.args...)
			x.Shows("Cluster")
			x.Type(c.keys)
			x.Shows(c.shows)
			pid := child(t, x, x.Pid())
			rests(t, pid)
			x.Type("z")
			x.Until("a pane alone", func(text string) bool { return !strings.Contains(text, "Latency") })
			x.Type("q")
			x.Ends(0)
			x.AsBefore()
		})
	}
}

// load holds the processor time and the context switches of a process.
type load struct {
	cpu      time.Duration
	switches int64
}

func loadOf(t *testing.T, pid int) (l load) {
	t.Helper()
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		folder := fmt.Sprintf("/proc/%d/task/%s/", pid, task.Name())
		var ns int64
		schedstat, _ := os.ReadFile(folder + "schedstat")
		_, _ = fmt.Sscan(string(schedstat), &ns)
		status, _ := os.ReadFile(folder + "status")
		l.cpu += time.Duration(ns)
		l.switches += statusLine(string(status), "\nvoluntary_ctxt_switches:") +
			statusLine(string(status), "nonvoluntary_ctxt_switches:")
	}
	return l
}

// rests waits until a process has used less than 0.3 % of a core and 20 context switches per second
// for some seconds.
func rests(t *testing.T, pid int) {
	t.Helper()
	const tries, window = 8, 3 * time.Second
	var used load
	for range tries {
		before := loadOf(t, pid)
		<-time.After(window)
		after := loadOf(t, pid)
		used = load{after.cpu - before.cpu, after.switches - before.switches}
		t.Logf("%v of a core and %d context switches in %v", used.cpu, used.switches, window)
		if used.cpu < window*3/1000 && used.switches < int64(20*window/time.Second) {
			return
		}
	}
	t.Errorf("an idle screen used %v of a core and %d context switches in %v", used.cpu, used.switches, window)
}

// A shell stops the screen as a job and continues it, by Ctrl-Z and by signals
// from outside to either of its processes. Stopped, the terminal is the shell's.
func TestSuspend(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	x := ttytest.Start(t, 80, 24, exec.CommandContext(t.Context(), bash, "--norc", "--noprofile", "--noediting", "-i"))
	x.Type("PS1='at$? '\r")
	x.Shows("at0")
	x.Type("clear; " + program(t).Path + " --machine this-host\r")
	x.Shows("Bandwidth")
	holder := child(t, x, x.Pid())
	drawing := child(t, x, holder)
	for _, c := range []struct {
		name string
		stop func()
	}{
		{"Ctrl-Z", func() { x.Type("\x1a") }},
		{"Ctrl-Z once more", func() { x.Type("\x1a") }},
		{"SIGTSTP to the holder", func() { send(t, holder, unix.SIGTSTP) }},
		{"SIGTSTP to the program", func() { send(t, drawing, unix.SIGTSTP) }},
		{"SIGTSTP to the job", func() { send(t, -holder, unix.SIGTSTP) }},
		{"SIGSTOP to the program", func() { send(t, drawing, unix.SIGSTOP) }},
	} {
		t.Log(c.name)
		c.stop()
		x.Shows("Stopped")
		x.Shows("at14") // 128 + SIGTSTP or another one that stops
		x.AsBefore()
		x.Type("clear; fg\r")
		x.Shows("Bandwidth")
		x.Type("z") // the keys work again
		x.Until("a pane alone", func(text string) bool { return !strings.Contains(text, "Knobs") })
		x.Type("z")
		x.Shows("Knobs")
	}
	x.Type("q")
	x.Until("the shell", func(text string) bool {
		return !strings.Contains(text, "hybridtop  randomaccess") && strings.Contains(text, "at0")
	})
	x.AsBefore()
	x.Type("clear; exit 7\r")
	x.Ends(7)
}
