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

// Skipped is a file in the user's folder that lists omit.
type Skipped struct {
	Name     string // of the machine or scenario; empty if the file name is invalid
	Shadowed bool   // a built-in one has the same name; otherwise the file is broken
	Err      error  // begins with the file name
}

// shelf holds the files of one kind: built-in files and the user's.
type shelf struct {
	folder, what string // "machines", "machine"
	files        *embed.FS
	load         func(file string) error // returns an error if the file is broken
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

// SkippedMachines returns the user's machine files that lists omit, with the reasons.
func SkippedMachines() []Skipped {
	_, skipped := machineShelf.own()
	return skipped
}

// own reads the user's files. It returns the names of valid files, and the skipped ones.
func (s *shelf) own() (names []string, skipped []Skipped) {
	builtIn := s.builtIn()
	for _, e := range s.entries() {
		if !strings.HasSuffix(e.Name(), ".toml") {
			continue
		}
		file := filepath.Join(s.home(), e.Name())
		name := fileName(file)
		if slices.Contains(builtIn, name) {
			skipped = append(skipped, Skipped{name, true, fmt.Errorf("%s: a built-in %s has the name %s and is used instead; rename the file", file, s.what, name)})
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

// names returns the sorted names of built-in files and of the user's valid files.
func (s *shelf) names() []string {
	own, _ := s.own()
	names := slices.Concat(s.builtIn(), own)
	slices.Sort(names)
	return names
}

// find returns the file with a name, and its text. Built-in files come first, so that demo always
// means the built-in demo.
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
		where = "; put your own into " + dir
	}
	return "", nil, fmt.Errorf("unknown %s %q: want one of %s%s", s.what, shorten(name), strings.Join(s.names(), ", "), where)
}

// home returns the folder of the user's files, or an empty string if the system has none.
func (s *shelf) home() string { return xdg.Config(s.folder) }

// entries returns the files in the user's folder. The list is empty if the folder is missing or
// cannot be read.
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
		panic(err) // embedded files are always readable
	}
	return fileNames(entries)
}

// fileName returns a file's name without .toml, or an empty string if the name is invalid.
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
