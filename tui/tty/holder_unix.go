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

// linkVariable tells the program the descriptor of its link to the holder.
const linkVariable = "HYBRIDTOP_TERMINAL"

// How long a program may take to do what a signal asks for: longer than it gives
// itself, and shorter than the two seconds after which a user takes it for stuck.
const (
	endTime  = 1300 * time.Millisecond
	stopTime = time.Second
)

// endings are the signals that end the program, and are passed on to it.
var endings = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGABRT, unix.SIGTERM}

// Open gives the terminal of standard output to this program. The process that
// the user has started becomes the holder: it gets no Terminal, but the program's
// exit status after its end.
func Open() (*Terminal, int) {
	d := newDevice(os.Stdin, os.Stdout)
	if link := inherited(); link != nil {
		return newTerminal(d, link), 0
	}
	h, err := start(d)
	if err != nil { // no room for a process, no file of the program
		return newTerminal(d, nil), 0
	}
	return nil, h.hold()
}

// inherited is the link that the holder has left; nil: there is none.
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
	program int // its process
	link    int // to the program
	taken   bool
	said    *said // on standard error; nil: it has one of its own
	asked   syscall.Signal
}

// start starts the program, a child of this process in its group.
func start(d device) (*holder, error) {
	h := &holder{device: d}
	pair, err := socketpair()
	if err != nil {
		return nil, err
	}
	h.link = pair[0]
	_ = unix.SetNonblock(h.link, true)
	theirs := os.NewFile(uintptr(pair[1]), "program")
	defer theirs.Close()
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr, theirs}
	if term.IsTerminal(os.Stderr.Fd()) {
		r, w, err := os.Pipe()
		if err != nil {
			unix.Close(h.link)
			return nil, err
		}
		defer w.Close()
		h.said, files[2] = listen(r), w
	}
	path, err := os.Executable()
	if runtime.GOOS == "linux" { // the very file that runs, even where its name has another one now
		path, err = "/proc/self/exe", nil
	}
	if err != nil {
		unix.Close(h.link)
		return nil, err
	}
	// A child that has ended is to be asked how, whatever this process inherited.
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

// socketpair gives two ends that no other child inherits.
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

// hold waits for the program's end, and gives its exit status.
func (h *holder) hold() int {
	passed := make(chan os.Signal, 8)
	for _, s := range endings {
		if !signal.Ignored(s) { // as nohup wants it
			signal.Notify(passed, s)
		}
	}
	signal.Notify(passed, unix.SIGWINCH)
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, unix.SIGTSTP)
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, unix.SIGCHLD)
	changed <- unix.SIGCHLD // it may have ended before anybody listened
	var end, stop <-chan time.Time
	for {
		select {
		case s := <-passed:
			h.signal(s.(syscall.Signal))
			if s != unix.SIGWINCH && end == nil {
				h.asked = s.(syscall.Signal)
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
					return h.over(ws)
				}
				stop = nil
				h.suspend(continued)
				drain(stops)
			}
		}
	}
}

func (h *holder) signal(s syscall.Signal) { _ = unix.Kill(h.program, s) }

// changed tells whether the program has ended or stopped since.
func (h *holder) changed(ws *unix.WaitStatus) bool {
	for {
		pid, err := unix.Wait4(h.program, ws, unix.WUNTRACED|unix.WNOHANG, nil)
		if err != unix.EINTR {
			return err == nil && pid == h.program
		}
	}
}

// suspend follows the program, which has stopped, with the whole job.
func (h *holder) suspend(continued <-chan os.Signal) {
	// A group that is stopped and continued from outside may show the stop only
	// now that it is over.
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

// resume lets the program go on, and take the terminal anew.
func (h *holder) resume() {
	h.signal(unix.SIGCONT)
	_, _ = unix.Write(h.link, []byte{resumes})
}

// hasTerminal tells whether the terminal is as the program has set it: nobody
// else has it, and the last that the program said of it is that it takes it.
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

// over ends the job: the terminal is restored if the program could not, its last
// words are printed, and its exit status is handed on.
func (h *holder) over(ws unix.WaitStatus) int {
	signal.Ignore(unix.SIGTTOU)
	if h.hasTerminal() {
		h.restore()
	}
	status, why := ws.ExitStatus(), ""
	switch {
	case !ws.Signaled():
	case h.asked != 0: // and it did not end in time
		status, why = 128+int(h.asked), "hybridtop: interrupted by "+unix.SignalName(h.asked)+"\n"
	default:
		status, why = 128+int(ws.Signal()), "hybridtop: ended by "+unix.SignalName(ws.Signal())
		if ws.Signal() == unix.SIGKILL {
			why += "; if nobody sent it, the system was out of memory"
		}
		why += "\n"
	}
	if h.said != nil {
		h.said.end()
	}
	printed := make(chan struct{})
	go func() {
		if h.said != nil {
			h.said.print(os.Stderr)
		}
		_, _ = os.Stderr.WriteString(why)
		close(printed)
	}()
	select {
	case <-printed:
	case <-time.After(lastWords):
	}
	return status
}
