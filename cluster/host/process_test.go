package host

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

const (
	boot      = "ad2f6f88-a528-4e0a-862d-1a0d55c802aa"
	namespace = "pid:[4026531836]"
)

// stat returns a stat file with a state and a start.
func stat(name, state, start string) string {
	return "12 (" + name + ") " + state + " 1 12 12 0 -1 4194304 97 0 0 0 0 0 0 0 20 0 1 0 " + start + " 3133440 353 18446744073709551615\n"
}

// processes returns a system whose process 7 sees other processes by their stat files.
func processes(stats map[string]string) fstest.MapFS {
	root := fstest.MapFS{"proc/sys/kernel/random/boot_id": &fstest.MapFile{Data: []byte(boot + "\n")}}
	root["proc/self"] = &fstest.MapFile{Data: []byte("7"), Mode: fs.ModeSymlink}
	root["proc/7/ns/pid"] = &fstest.MapFile{Data: []byte(namespace), Mode: fs.ModeSymlink}
	for pid, text := range stats {
		root["proc/"+pid+"/stat"] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// TestStatFile checks the state and the start of stat files, also if the command has spaces and parentheses.
func TestStatFile(t *testing.T) {
	for _, name := range []string{"cat", "", "a b", ")", "((", ") Z 1 2", "a) T 1 (b", "\n"} {
		state, start, err := parseStat([]byte(stat(name, "R", "116778")))
		if state != 'R' || start != 116778 || err != nil {
			t.Errorf("command %q: state %c, start %d, error %v", name, state, start, err)
		}
	}
	whole := stat("cat", "S", "5")
	for _, text := range []string{"", ")", "12 (cat", "12 (cat) S 1 2 3", whole[:strings.Index(whole, " 5 ")], stat("cat", "SS", "5"),
		stat("cat", "S", "-5"), stat("cat", "S", "18446744073709551616"), stat("cat", "S", "x")} {
		if _, _, err := parseStat([]byte(text)); !errors.Is(err, errStat) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestProcessStates checks which states of a process count as alive.
func TestProcessStates(t *testing.T) {
	root := processes(map[string]string{"12": stat("a) Z (b", "R", "5")})
	p, err := processOf(root, 7, 12)
	if err != nil || p.PID() != 12 || p.String() != boot+" "+namespace+" 12 5" {
		t.Fatalf("process %v, error %v", p, err)
	}
	for state, want := range map[string]bool{"R": true, "S": true, "D": true, "I": true, "Z": false, "X": false, "x": false,
		"T": false, "t": false, "damaged": false} {
		if got := p.alive(processes(map[string]string{"12": stat("a", state, "5")}), 7); got != want {
			t.Errorf("state %s: alive %v, want %v", state, got, want)
		}
	}
}

// TestUnknownProcess checks that a process does not count as alive if it has ended, or is of another host.
func TestUnknownProcess(t *testing.T) {
	whole := map[string]string{"12": stat("a", "R", "5")}
	p, err := processOf(processes(whole), 7, 12)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(root fstest.MapFS){
		"it has ended":                 func(root fstest.MapFS) { delete(root, "proc/12/stat") },
		"its number has a new process": func(root fstest.MapFS) { root["proc/12/stat"].Data = []byte(stat("a", "R", "6")) },
		"another boot":                 func(root fstest.MapFS) { root["proc/sys/kernel/random/boot_id"].Data[0]++ },
		"another namespace":            func(root fstest.MapFS) { root["proc/7/ns/pid"].Data[5]++ },
		"/proc of another namespace":   func(root fstest.MapFS) { root["proc/self"].Data = []byte("8") },
		"no /proc":                     func(root fstest.MapFS) { clear(root) },
	} {
		root := processes(whole)
		if spoil(root); p.alive(root, 7) {
			t.Errorf("%s: the process is alive", name)
		}
	}
	if (Process{}).alive(processes(map[string]string{"0": stat("a", "R", "0")}), 7) {
		t.Error("the zero value is alive")
	}
	for name, root := range map[string]fstest.MapFS{"no such process": processes(nil), "no /proc": {}} {
		if p, err := processOf(root, 7, 12); err == nil {
			t.Errorf("%s: process %v", name, p)
		}
	}
}

// identities are texts that do not identify a process.
var identities = []string{"", "12 5", boot + " " + namespace, boot + " " + namespace + " 12", boot + " " + namespace + " 12 5 6",
	boot + " " + namespace + " 12 5\n", " " + boot + " " + namespace + " 12 5", boot + "  " + namespace + " 12 5",
	boot + " " + namespace + " 0 5", boot + " " + namespace + " 012 5", boot + " " + namespace + " -12 5",
	boot + " " + namespace + " 12 05", boot + " " + namespace + " 12 +5", boot + " " + namespace + " 2147483648 5",
	boot + " " + namespace + " 12 18446744073709551616", boot + " mnt:[1] 12 5", boot + " pid:[] 12 5", boot[1:] + " " + namespace + " 12 5",
	strings.ToUpper(boot) + " " + namespace + " 12 5", boot + " " + namespace + " ../12 5", boot + " " + namespace + " 12/../1 5",
	strings.Repeat("1", 1<<20)}

// TestDamagedIdentities checks that damaged texts are refused.
func TestDamagedIdentities(t *testing.T) {
	for _, text := range identities {
		if p, err := ParseProcess(text); err == nil || p != (Process{}) || len(err.Error()) > 500 {
			t.Errorf("%.200q: process %v, error %.600v", text, p, err)
		}
	}
}

// FuzzProcess checks that an accepted text is the text of its process, and that it has at most 95 bytes.
func FuzzProcess(f *testing.F) {
	f.Add(boot + " " + namespace + " 12 5")
	f.Add(boot + " pid:[99999999999999999999] 2147483647 18446744073709551615")
	for _, text := range identities {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseProcess(text)
		if err == nil && (p.String() != text || len(text) > 95 || p.PID() <= 0) {
			t.Errorf("%q becomes %q", text, p)
		}
		_, _, _ = parseStat([]byte(text))
	})
}
