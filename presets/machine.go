package presets

import (
	"bytes"
	"embed"
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/internal/inputfile"
)

//go:embed machines/*.toml
var builtIn embed.FS

// MaxFile is the maximum size of a file in bytes. A longer file is rejected before it is read.
const MaxFile = 1 << 20

// Machines returns the names of the built-in machines and of the user's, without the files that
// [SkippedMachines] reports.
func Machines() []string { return machineCatalog.names() }

// Machine returns the machine with a name.
func Machine(name string) (cluster.Machine, error) {
	file, data, err := machineCatalog.find(name)
	if err != nil {
		return cluster.Machine{}, err
	}
	return decodeMachine(file, data)
}

// LoadMachine reads a machine file. The machine's name is the file name without .toml.
func LoadMachine(file string) (cluster.Machine, error) {
	data, err := inputfile.Read(file, MaxFile)
	if err != nil {
		return cluster.Machine{}, err
	}
	return decodeMachine(file, data)
}

// decodeMachine decodes the bytes of a machine file.
func decodeMachine(file string, data []byte) (cluster.Machine, error) {
	fail := func(err error) (cluster.Machine, error) { return cluster.Machine{}, err }
	m := cluster.Machine{Name: fileName(file), Source: make(map[string]string)}
	if m.Name == "" {
		return fail(&mistake{file: file, text: "invalid name for a machine; use lower-case letters, digits and dashes, " +
			"at most 40, and the ending .toml"})
	}
	d, err := parse(file, bytes.TrimPrefix(data, []byte("\ufeff")), isMachineKey, suggestMachineKey)
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
	if err := checkDetours(d, &m); err != nil {
		return fail(err)
	}
	return m, checkTopology(d, &m)
}

// checkDetours rejects detours with a rate or a length alone: neither has an effect without the other.
func checkDetours(d *document, m *cluster.Machine) error {
	const rate, length = "detour_rate_per_s", "detour_length_s"
	missing := length
	switch {
	case (m.DetourRate > 0) == (m.DetourLength > 0):
		return nil
	case m.DetourRate == 0:
		missing = rate
	}
	return d.fail(missing, "want more than 0: detours have a rate and a length; leave both out for none")
}

func readWords(d *document, m *cluster.Machine) error {
	title, ok := d.at("title")
	if !ok {
		return d.fail("title", `missing; add title = "what the machine is" at the top`)
	}
	var err error
	m.Title, err = d.text("title", title)
	if err != nil {
		return err
	}
	emulated, _ := d.at("emulated")
	m.Emulated, ok = emulated.(bool)
	if !ok {
		return d.fail("emulated", "want true (transfers and computing take this machine's time) or false (the host's own)")
	}
	progress, _ := d.at("progress")
	word, _ := progress.(string)
	m.Progress = cluster.Progress(word)
	if !slices.Contains([]cluster.Progress{cluster.ProgressCall, cluster.ProgressThread, cluster.ProgressOffload},
		m.Progress) {
		return d.fail("progress",
			`want "call" (only calls of a rank advance its handshakes), "thread" (a thread next to each rank does) or "offload" (the adapter does)`)
	}
	return nil
}

// ReadMachine decodes the text of a machine file. name is the machine's name.
func ReadMachine(name, text string) (cluster.Machine, error) {
	if len(text) > MaxFile {
		return cluster.Machine{}, &mistake{file: name + ".toml", text: fmt.Sprintf("has more than %d bytes", MaxFile)}
	}
	return decodeMachine(name+".toml", []byte(text))
}
