package presets

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/internal/xdg"
)

// Skipped is a file in the user's folder that no list has.
type Skipped struct {
	Name     string // of the machine or scenario; empty: the file's name is none
	Shadowed bool   // a built-in one has the name; otherwise the file is broken
	Err      error  // names the file
}

// shelf is the files of one sort: those that come along, and the user's.
type shelf struct {
	folder, what string // "machines", "machine"
	files        *embed.FS
	load         func(file string) error // tells what is wrong with a file
}

// The shelves.
var (
	machineShelf = shelf{"machines", "machine", &builtIn, func(file string) error {
		_, err := LoadMachine(file)
		return err
	}}
	scenarioShelf = shelf{"scenarios", "scenario", &scenarioFiles, func(file string) error {
		_, err := LoadScenario(file)
		return err
	}}
)

// SkippedMachines tells which of the user's machine files no list has, and why.
func SkippedMachines() []Skipped {
	_, skipped := machineShelf.own()
	return skipped
}

// own reads the user's files: the names of those that are sound, and the others.
func (s *shelf) own() (names []string, skipped []Skipped) {
	builtIn := s.builtIn()
	for _, e := range s.entries() {
		if !strings.HasSuffix(e.Name(), ".toml") {
			continue
		}
		file := filepath.Join(s.home(), e.Name())
		name := fileName(file)
		if slices.Contains(builtIn, name) {
			skipped = append(skipped, Skipped{name, true, fmt.Errorf("%s: a built-in %s is called %s, and is the one that is used; rename the file", file, s.what, name)})
			continue
		}
		if err := s.load(file); err != nil {
			skipped = append(skipped, Skipped{name, false, err})
			continue
		}
		names = append(names, name)
	}
	return names, skipped
}

// names lists what there is: built in, and the user's but for those that are skipped.
func (s *shelf) names() []string {
	own, _ := s.own()
	names := slices.Concat(s.builtIn(), own)
	slices.Sort(names)
	return names
}

// find gives the text of the file of a name, built in or the user's. A built-in one
// comes first: what says demo means demo everywhere.
func (s *shelf) find(name string) (file string, data []byte, err error) {
	switch {
	case slices.Contains(s.builtIn(), name):
		file = path.Join(s.folder, name+".toml")
		data, err = s.files.ReadFile(file)
		return file, data, err
	case slices.Contains(fileNames(s.entries()), name):
		file = filepath.Join(s.home(), name+".toml")
		data, err = readFile(file)
		return file, data, err
	}
	where := ""
	if dir := s.home(); dir != "" {
		where = "; your own go into " + dir
	}
	return "", nil, fmt.Errorf("unknown %s %q: there are %s%s", s.what, shorten(name), strings.Join(s.names(), ", "), where)
}

// home is where the user's files stand; empty when the system names no place.
func (s *shelf) home() string { return xdg.Config(s.folder) }

// entries lists the user's folder. One that is not there or cannot be read is empty.
func (s *shelf) entries() []fs.DirEntry {
	dir := s.home()
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(entries, fs.DirEntry.IsDir)
}

func (s *shelf) builtIn() []string {
	entries, err := s.files.ReadDir(s.folder)
	if err != nil {
		panic(err) // they are part of the program
	}
	return fileNames(entries)
}

// fileName is a file's name without .toml; empty when it is no name.
func fileName(file string) string {
	name, ok := strings.CutSuffix(path.Base(filepath.ToSlash(file)), ".toml")
	if !ok || name == "" || len(name) > 40 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return ""
	}
	return name
}

func fileNames(entries []fs.DirEntry) []string {
	var names []string
	for _, e := range entries {
		if name := fileName(e.Name()); name != "" && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names
}
