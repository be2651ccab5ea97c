package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Process identifies a process of a Linux host, also after its number belongs to another process. The zero value
// identifies no process.
type Process struct {
	space string // boot of the host and namespace of process numbers
	pid   int
	start uint64 // clock ticks between the boot and the start of the process
}

// ProcessOf returns the process of this host with a number. It returns an error if the system does not describe
// processes in /proc.
func ProcessOf(pid int) (Process, error) {
	return processOf(os.DirFS("/"), os.Getpid(), pid)
}

// processOf is ProcessOf in the process self of a file system.
func processOf(root fs.FS, self, pid int) (Process, error) {
	space, err := spaceOf(root, self)
	if err != nil {
		return Process{}, fmt.Errorf("host: process %d: %w", pid, err)
	}
	_, start, err := stateOf(root, pid)
	if err != nil {
		return Process{}, fmt.Errorf("host: process %d: %w", pid, err)
	}
	return ParseProcess(Process{space, pid, start}.String())
}

// identity is the form of the text of a process.
var identity = regexp.MustCompile(`^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12} pid:\[[0-9]{1,20}\]) ([0-9]{1,10}) ([0-9]{1,20})$`)

// ParseProcess returns the process of a text of String. The text can be from another host.
func ParseProcess(text string) (Process, error) {
	parts := identity.FindStringSubmatch(text)
	if parts == nil {
		return Process{}, fmt.Errorf("host: %.120q does not identify a process", text)
	}
	pid, err := strconv.ParseInt(parts[2], 10, 32)
	start, wrong := strconv.ParseUint(parts[3], 10, 64)
	p := Process{parts[1], int(pid), start}
	if err != nil || wrong != nil || pid == 0 || p.String() != text {
		return Process{}, fmt.Errorf("host: %q does not identify a process", text)
	}
	return p, nil
}

// String returns a text of at most 95 bytes. Another process of the host recognises the process by it.
func (p Process) String() string { return fmt.Sprintf("%s %d %d", p.space, p.pid, p.start) }

// PID returns the number of the process in its namespace.
func (p Process) PID() int { return p.pid }

// Alive reports whether the process exists on this host and is not stopped. It also returns false if this process
// cannot know it: the other process is on another host or in another namespace of process numbers.
func (p Process) Alive() bool { return p.alive(os.DirFS("/"), os.Getpid()) }

// alive is Alive in the process self of a file system.
func (p Process) alive(root fs.FS, self int) bool {
	if space, err := spaceOf(root, self); err != nil || space != p.space {
		return false
	}
	state, start, err := stateOf(root, p.pid)
	if err != nil || start != p.start {
		return false
	}
	switch state {
	case 'Z', 'X', 'x', 'T', 't': // zombie, dead, stopped by a signal, stopped by a debugger
		return false
	}
	return true
}

// spaceOf returns the boot of the host, and the namespace of the process self. Only processes with an equal space
// have comparable numbers.
func spaceOf(root fs.FS, self int) (string, error) {
	me, err := fs.ReadLink(root, "proc/self")
	if err != nil {
		return "", err
	}
	if me != strconv.Itoa(self) {
		return "", fmt.Errorf("/proc is of another namespace: this process is %.20q, want %d", me, self)
	}
	boot, err := fs.ReadFile(root, "proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	namespace, err := fs.ReadLink(root, path.Join("proc", me, "ns/pid"))
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(boot)) + " " + namespace, nil
}

var errStat = errors.New("damaged stat file")

// stateOf returns the state of a process, and its start in clock ticks after the boot.
func stateOf(root fs.FS, pid int) (state byte, start uint64, err error) {
	text, err := fs.ReadFile(root, path.Join("proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, 0, err
	}
	return parseStat(text)
}

// parseStat returns the third and the 22nd field of a stat file. The second field is the name of the command in
// parentheses. The name can have spaces and parentheses, and no later field has any.
func parseStat(text []byte) (state byte, start uint64, err error) {
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 || len(fields[0]) != 1 {
		return 0, 0, fmt.Errorf("%w: %.80q", errStat, text)
	}
	if start, err = strconv.ParseUint(string(fields[19]), 10, 64); err != nil {
		return 0, 0, fmt.Errorf("%w: start %.20q", errStat, fields[19])
	}
	return fields[0][0], start, nil
}
