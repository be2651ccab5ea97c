package presets

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/internal/xdg"
)

// Skipped is a file in the user's folder that no list of machines has.
type Skipped struct {
	Name     string // of the machine; empty: the file's name is none
	Shadowed bool   // a built-in machine has the name; otherwise the file is broken
	Err      error  // names the file
}

// SkippedMachines tells which of the user's files no list has, and why.
func SkippedMachines() []Skipped {
	_, skipped := userMachines()
	return skipped
}

// userMachines reads the user's files: the names of those that are machines, and
// the others.
func userMachines() (names []string, skipped []Skipped) {
	builtIn := builtInNames()
	for _, e := range userFiles() {
		if !strings.HasSuffix(e.Name(), ".toml") {
			continue
		}
		file := filepath.Join(userFolder(), e.Name())
		name := machineName(file)
		if slices.Contains(builtIn, name) {
			skipped = append(skipped, Skipped{name, true, fmt.Errorf("%s: a built-in machine is called %s, and is the one that is used; rename the file", file, name)})
			continue
		}
		if _, err := LoadMachine(file); err != nil {
			skipped = append(skipped, Skipped{name, false, err})
			continue
		}
		names = append(names, name)
	}
	return names, skipped
}

// userFolder is where the user's machine files stand; empty when the system
// names no place.
func userFolder() string { return xdg.Config("machines") }

// userFiles lists the user's folder. One that is not there or cannot be read is
// empty.
func userFiles() []fs.DirEntry {
	dir := userFolder()
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(entries, fs.DirEntry.IsDir)
}
