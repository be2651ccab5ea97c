package presets

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

//go:embed machines/*.toml
var builtIn embed.FS

// MaxFile bounds a file, in bytes; a longer one is refused before it is read.
const MaxFile = 1 << 20

// Machines lists the machines by name: built-in ones and the user's, but for those
// that [SkippedMachines] tells of.
func Machines() []string {
	own, _ := userMachines()
	names := slices.Concat(builtInNames(), own)
	slices.Sort(names)
	return names
}

// Machine gives a machine by name. A built-in one comes before the user's: what
// says demo means demo everywhere.
func Machine(name string) (cluster.Machine, error) {
	switch {
	case slices.Contains(builtInNames(), name):
		file := "machines/" + name + ".toml"
		data, err := builtIn.ReadFile(file)
		if err != nil {
			return cluster.Machine{}, err
		}
		return decodeMachine(file, data)
	case slices.Contains(machineNames(userFiles()), name):
		return LoadMachine(filepath.Join(userFolder(), name+".toml"))
	}
	where := ""
	if dir := userFolder(); dir != "" {
		where = "; your own go into " + dir
	}
	return cluster.Machine{}, fmt.Errorf("unknown machine %q: there are %s%s", shorten(name), strings.Join(Machines(), ", "), where)
}

// LoadMachine reads a machine file. Its name without .toml is the machine's.
func LoadMachine(file string) (cluster.Machine, error) {
	data, err := readFile(file)
	if err != nil {
		return cluster.Machine{}, err
	}
	return decodeMachine(file, data)
}

func readFile(file string) ([]byte, error) {
	info, err := os.Stat(file) // before opening: a pipe would block there
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &mistake{file: file, text: "is not a plain file"}
	}
	tooLong := &mistake{file: file, text: fmt.Sprintf("has more than %d bytes; a file of this sort has a few thousand", MaxFile)}
	if info.Size() > MaxFile {
		return nil, tooLong
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1)) // it may have grown
	if err != nil {
		return nil, err
	}
	if len(data) > MaxFile {
		return nil, tooLong
	}
	return data, nil
}

// decodeMachine reads a machine out of a file's bytes.
func decodeMachine(file string, data []byte) (cluster.Machine, error) {
	fail := func(err error) (cluster.Machine, error) { return cluster.Machine{}, err }
	m := cluster.Machine{Name: machineName(file), Source: make(map[string]string)}
	if m.Name == "" {
		return fail(&mistake{file: file, text: "is no name for a machine; use lower-case letters, digits and dashes, at most 40, and the ending .toml"})
	}
	d, err := parse(file, bytes.TrimPrefix(data, []byte("\ufeff")), known, mendUnknown)
	if err != nil {
		return fail(err)
	}
	if err := readWords(d, &m); err != nil {
		return fail(err)
	}
	costs := m.Emulated || slices.ContainsFunc(facts, func(f fact) bool {
		_, there := d.at(f.key)
		return f.cost && there
	})
	for i := range facts {
		if err := facts[i].read(d, &m, costs); err != nil {
			return fail(err)
		}
	}
	return m, checkTopology(d, &m)
}

func readWords(d *document, m *cluster.Machine) error {
	title, ok := d.at("title")
	if !ok {
		return d.fail("title", `missing; add title = "what the machine is" at the top`)
	}
	var err error
	if m.Title, err = d.text("title", title); err != nil {
		return err
	}
	emulated, _ := d.at("emulated")
	if m.Emulated, ok = emulated.(bool); !ok {
		return d.fail("emulated", "want true (transfers and computing take this machine's time) or false (the host's own)")
	}
	progress, _ := d.at("progress")
	word, _ := progress.(string)
	m.Progress = cluster.Progress(word)
	if !slices.Contains([]cluster.Progress{cluster.ProgressCall, cluster.ProgressThread, cluster.ProgressOffload}, m.Progress) {
		return d.fail("progress", `want "call" (only calls of a rank advance its handshakes), "thread" (a thread beside each rank does) or "offload" (the adapter does)`)
	}
	return nil
}

// machineName is a file's name without .toml; empty when it is no name.
func machineName(file string) string {
	name, ok := strings.CutSuffix(path.Base(filepath.ToSlash(file)), ".toml")
	if !ok || name == "" || len(name) > 40 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return ""
	}
	return name
}

func builtInNames() []string {
	entries, err := builtIn.ReadDir("machines")
	if err != nil {
		panic(err) // they are part of the program
	}
	return machineNames(entries)
}

func machineNames(entries []fs.DirEntry) []string {
	var names []string
	for _, e := range entries {
		if name := machineName(e.Name()); name != "" && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names
}
