//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tty

import (
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// linkVariable is the environment variable with the descriptor of the program's link to the holder.
const linkVariable = "HYBRIDTOP_TERMINAL"

// Time that a program has to react to a signal. It is longer than the program's own limit, and
// shorter than the two seconds after which users believe that it hangs.
const (
	endTime  = 1300 * time.Millisecond
	stopTime = time.Second
)

// endings lists the signals that end the program. The holder forwards them.
var endings = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGABRT, unix.SIGTERM}

// Open opens the terminal of standard output. The process that the user has started becomes the
// holder: there, Open returns a nil Terminal and the program's exit status after the program has
// ended.
func Open() (*Terminal, int) {
	d := newDevice(os.Stdin, os.Stdout)
	if link := inherited(); link != nil {
		return newTerminal(d, link), 0
	}
	h, err := start(d)
	if err != nil { // no process or no executable file
		return newTerminal(d, nil), 0
	}
	return nil, h.hold()
}

// inherited returns the link to the holder, or nil if there is no holder.
func inherited() *os.File {
	fd, err := strconv.Atoi(os.Getenv(linkVariable))
	_ = os.Unsetenv(linkVariable)
	if err != nil || fd < 3 {
		return nil
	}
	if _, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE); err != nil {
		return nil
	}
	unix.CloseOnExec(fd)
	_ = unix.SetNonblock(fd, true)
	return os.NewFile(uintptr(fd), "holder")
}

// holder is the process that holds the terminal for the program.
type holder struct {
	device
	program   int // process ID
	link      int // socket to the program
	taken     bool
	stderr    *stderrLog // standard error of the program; nil: it has its own
	endSignal syscall.Signal
}

// start starts the program as a child of this process in the same process group.
func start(d device) (*holder, error) {
	h := &holder{device: d}
	pair, err := socketpair()
	if err != nil {
		return nil, err
	}
	h.link = pair[0]
	_ = unix.SetNonblock(h.link, true)
	programEnd := os.NewFile(uintptr(pair[1]), "program")
	defer programEnd.Close()
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr, programEnd}
	if term.IsTerminal(os.Stderr.Fd()) {
		r, w, err := os.Pipe()
		if err != nil {
			unix.Close(h.link)
			return nil, err
		}
		defer w.Close()
		h.stderr, files[2] = collectStderr(r), w
	}
	path, err := os.Executable()
	if runtime.GOOS == "linux" { // the running file, even if its name now has another file
		path, err = "/proc/self/exe", nil
	}
	if err != nil {
		unix.Close(h.link)
		return nil, err
	}
	// Exit statuses of children must be available even if this process inherited an ignored
	// SIGCHLD.
	signal.Notify(make(chan os.Signal, 1), unix.SIGCHLD)
	p, err := os.StartProcess(path, os.Args, &os.ProcAttr{
		Env: append(os.Environ(), linkVariable+"=3"), Files: files,
	})
	if err != nil {
		unix.Close(h.link)
		return nil, err
	}
	h.program = p.Pid
	return h, nil
}

// socketpair returns a pair of sockets that no other child inherits.
func socketpair() ([2]int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(pair[0])
		unix.CloseOnExec(pair[1])
	}
	return pair, err
}

// hold waits until the program ends, and returns its exit status.
func (h *holder) hold() int {
	forwarded := make(chan os.Signal, 8)
	for _, s := range endings {
		if !signal.Ignored(s) { // nohup ignores SIGHUP
			signal.Notify(forwarded, s)
		}
	}
	signal.Notify(forwarded, unix.SIGWINCH)
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, unix.SIGTSTP)
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, unix.SIGCHLD)
	changed <- unix.SIGCHLD // it may have ended before Notify
	var end, stop <-chan time.Time
	for {
		select {
		case s := <-forwarded:
			h.signal(s.(syscall.Signal))
			if s != unix.SIGWINCH && end == nil {
				h.endSignal = s.(syscall.Signal)
				end = time.After(endTime)
			}
		case <-end:
			h.signal(unix.SIGKILL)
		case <-stops:
			h.signal(unix.SIGTSTP)
			stop = time.After(stopTime)
		case <-stop:
			h.signal(unix.SIGSTOP)
		case <-continued:
			h.resume()
		case <-changed:
			var ws unix.WaitStatus
			for h.changed(&ws) {
				if !ws.Stopped() {
					return h.finish(ws)
				}
				stop = nil
				h.suspend(continued)
				drain(stops)
			}
		}
	}
}

func (h *holder) signal(s syscall.Signal) { _ = unix.Kill(h.program, s) }

// changed reports whether the program has ended or stopped since the last call.
func (h *holder) changed(ws *unix.WaitStatus) bool {
	for {
		pid, err := unix.Wait4(h.program, ws, unix.WUNTRACED|unix.WNOHANG, nil)
		if err != unix.EINTR {
			return err == nil && pid == h.program
		}
	}
}

// suspend stops the whole job after the program has stopped.
func (h *holder) suspend(continued <-chan os.Signal) {
	// If the group was stopped and continued from outside, the stop may be reported only after the
	// continue.
	select {
	case <-continued:
	case <-time.After(20 * time.Millisecond):
		if h.hasTerminal() {
			h.restore()
		}
		stopJob(continued)
	}
	h.resume()
}

// resume continues the program, which then takes the terminal again.
func (h *holder) resume() {
	h.signal(unix.SIGCONT)
	_, _ = unix.Write(h.link, []byte{resumes})
}

// hasTerminal reports whether the terminal is in the state that the program has set: this job has
// the terminal, and the program's last message was that it takes it.
func (h *holder) hasTerminal() bool {
	var b [64]byte
	for {
		n, err := unix.Read(h.link, b[:])
		if err == unix.EINTR {
			continue
		}
		if n <= 0 {
			return h.taken && h.foreground()
		}
		h.taken = b[n-1] == takes
	}
}

// finish ends the job. It restores the terminal if the program could not, prints the program's
// standard error, and returns its exit status.
func (h *holder) finish(ws unix.WaitStatus) int {
	signal.Ignore(unix.SIGTTOU)
	if h.hasTerminal() {
		h.restore()
	}
	status, why := ws.ExitStatus(), ""
	switch {
	case !ws.Signaled():
	case h.endSignal != 0: // it did not end in time
		status, why = 128+int(h.endSignal), "hybridtop: interrupted by "+unix.SignalName(h.endSignal)+"\n"
	default:
		status, why = 128+int(ws.Signal()), "hybridtop: ended by "+unix.SignalName(ws.Signal())
		if ws.Signal() == unix.SIGKILL {
			why += "; the system may be out of memory"
		}
		why += "\n"
	}
	if h.stderr != nil {
		h.stderr.end()
	}
	printed := make(chan struct{})
	go func() {
		if h.stderr != nil {
			h.stderr.print(os.Stderr)
		}
		_, _ = os.Stderr.WriteString(why)
		close(printed)
	}()
	select {
	case <-printed:
	case <-time.After(stderrTime):
	}
	return status
}
