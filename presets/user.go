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

	"github.com/hybridtop/hybridtop/internal/inputfile"
	"github.com/hybridtop/hybridtop/internal/xdg"
)

// Skipped is a file in the user's folder that lists omit.
type Skipped struct {
	Name     string // of the machine or scenario; empty if the file name is invalid
	Shadowed bool   // a built-in one has the same name; otherwise the file is broken
	Err      error  // begins with the file name
}

// catalog holds the files of one kind: built-in files and the user's.
type catalog struct {
	folder, what string // "machines", "machine"
	files        *embed.FS
	load         func(file string) error // returns an error if the file is broken
}

// The catalogs.
var (
	machineCatalog = catalog{folder: "machines", what: "machine", files: &builtIn, load: func(file string) error {
		_, err := LoadMachine(file)
		return err
	}}
	scenarioCatalog = catalog{folder: "scenarios", what: "scenario", files: &scenarioFiles, load: func(file string) error {
		_, err := LoadScenario(file)
		return err
	}}
)

// SkippedMachines returns the user's machine files that lists omit, with the reasons.
func SkippedMachines() []Skipped {
	_, skipped := machineCatalog.userFiles()
	return skipped
}

// userFiles reads the user's files. It returns the names of valid files, and the skipped ones.
func (c *catalog) userFiles() (names []string, skipped []Skipped) {
	builtIn := c.builtIn()
	for _, e := range c.entries() {
		if !strings.HasSuffix(e.Name(), ".toml") {
			continue
		}
		file := filepath.Join(c.home(), e.Name())
		name := fileName(file)
		if slices.Contains(builtIn, name) {
			err := fmt.Errorf("%s: a built-in %s has the name %s and is used instead; rename the file", file, c.what, name)
			skipped = append(skipped, Skipped{Name: name, Shadowed: true, Err: err})
			continue
		}
		if err := c.load(file); err != nil {
			skipped = append(skipped, Skipped{Name: name, Err: err})
			continue
		}
		names = append(names, name)
	}
	return names, skipped
}

// names returns the sorted names of built-in files and of the user's valid files.
func (c *catalog) names() []string {
	users, _ := c.userFiles()
	names := slices.Concat(c.builtIn(), users)
	slices.Sort(names)
	return names
}

// find returns the file with a name, and its text. Built-in files come first, so that demo always
// means the built-in demo.
func (c *catalog) find(name string) (file string, data []byte, err error) {
	switch {
	case slices.Contains(c.builtIn(), name):
		file = path.Join(c.folder, name+".toml")
		data, err = c.files.ReadFile(file)
		return file, data, err
	case slices.Contains(fileNames(c.entries()), name):
		file = filepath.Join(c.home(), name+".toml")
		data, err = inputfile.Read(file, MaxFile)
		return file, data, err
	}
	return "", nil, c.unknown(name, "one of", c.names())
}

// unknown returns the error for a name that no file has. It lists the known ones, and the user's folder.
func (c *catalog) unknown(name, want string, known []string) error {
	where := ""
	if dir := c.home(); dir != "" {
		where = "; put your own into " + dir
	}
	return fmt.Errorf("unknown %s %q: want %s %s%s", c.what, shorten(name), want, strings.Join(known, ", "), where)
}

// home returns the folder of the user's files, or an empty string if the system has none.
func (c *catalog) home() string { return xdg.Config(c.folder) }

// entries returns the files in the user's folder. The list is empty if the folder is missing or
// cannot be read.
func (c *catalog) entries() []fs.DirEntry {
	dir := c.home()
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(entries, fs.DirEntry.IsDir)
}

func (c *catalog) builtIn() []string {
	entries, err := c.files.ReadDir(c.folder)
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
