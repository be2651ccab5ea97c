package algorithm

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/presets"
)

// LibraryChoice is the algorithm that an MPI library selects, and hybridtop's algorithm for it.
type LibraryChoice struct {
	Library *presets.Library
	Way     presets.LibraryWay
	Key     coll.Key
}

// Words describes the choice: "Open MPI 4.1, component tuned: nonoverlapping, run as a similar algorithm".
func (c *LibraryChoice) Words() string {
	text := c.Library.Title + ": " + c.Way.Name
	if c.Way.Similar {
		text += ", run as a similar algorithm"
	}
	return text
}

// libraries has the files that were read, by name.
var libraries sync.Map

// library returns the library that a value of the knob algorithm names, or nil.
func library(name string) (*presets.Library, error) {
	if !IsLibrary(name) {
		return nil, nil
	}
	if l, ok := libraries.Load(name); ok {
		return l.(*presets.Library), nil
	}
	l, err := presets.FindLibrary(name)
	if err == nil {
		libraries.Store(name, l)
	}
	return l, err
}

// libraryNames are the values of the knob algorithm that name a library.
var libraryNames = presets.Libraries()

// Libraries returns the values of the knob algorithm that name an MPI library.
func Libraries() []string { return slices.Clone(libraryNames) }

// IsLibrary reports whether a value of the knob algorithm names an MPI library.
func IsLibrary(name string) bool { return slices.Contains(libraryNames, name) }

// FromLibrary returns the choice of the library with a name for a call of n bytes: of one block if each
// member has its own, else of all data.
func (w Team) FromLibrary(s Reader, name string, what coll.Collective, ranks int, n int64) (LibraryChoice, error) {
	l, err := library(name)
	if err != nil {
		return LibraryChoice{}, err
	}
	way, err := l.Select(presets.LibraryCall{Collective: what.String(), Ranks: ranks, PerNode: w.PerNode, Bytes: n,
		Elements: n / element(what)})
	if err != nil {
		return LibraryChoice{}, fmt.Errorf("algorithm = %s: %w (use another algorithm)", name, err)
	}
	c := LibraryChoice{Library: l, Way: way}
	var reasons []string
	for _, use := range way.Use {
		k, err := w.counterpart(s, &way, use, what, ranks)
		if err == nil {
			c.Key = k
			return c, nil
		}
		reasons = append(reasons, err.Error())
	}
	return c, fmt.Errorf("algorithm = %s: the team cannot run %s: %s (use another algorithm)", name, way.Name,
		strings.Join(reasons, "; "))
}

// counterpart returns the key of hybridtop's algorithm for one of a library's.
func (w Team) counterpart(s Reader, way *presets.LibraryWay, name string, what coll.Collective,
	ranks int) (coll.Key, error) {
	a, err := coll.Find(what, name)
	if err != nil {
		return coll.Key{}, err
	}
	if why := w.lacks(a); why != nil {
		return coll.Key{}, why
	}
	p := w.Parameters(s, a, ranks)
	if a.Radix != 0 {
		p.Radix = way.Radix
		if way.Flat {
			p.Radix = min(max(ranks, 2), coll.MaxRadix)
		}
	}
	p.Segments = 0
	k, err := a.Key(p)
	if err == nil && IsDuplicate(a, &k) {
		return k, fmt.Errorf("%s by %s: no ranks share a node of several", what, name)
	}
	return k, err
}

// Defaults returns the knobs with their defaults, but for the requirements of a program.
func Defaults(m coll.Modes) Reader { return modes{withDefaults{nil}, m} }

type modes struct {
	Reader
	coll.Modes
}

// Text returns the value of a knob.
func (m modes) Text(knob string) string {
	switch knob {
	case "addresses":
		return m.Address.String()
	case "sync-in":
		return m.In.String()
	case "sync-out":
		return m.Out.String()
	}
	return m.Reader.Text(knob)
}

// RefusedLibraries adds the libraries that cannot choose an algorithm for a call to the refused values
// of the knob algorithm.
func (w Team) RefusedLibraries(s Reader, what coll.Collective, ranks int, n int64, refused map[string]string) {
	for _, name := range libraryNames {
		if _, err := w.FromLibrary(s, name, what, ranks, n); err != nil {
			refused[name] = err.Error()
		}
	}
}
