package presets

import (
	"os"
	"strings"
	"testing"
)

// TestLibrariesSelect compares choices with decisions that were read in the sources of the libraries.
func TestLibrariesSelect(t *testing.T) {
	for _, c := range []struct {
		library string
		call    LibraryCall
		want    string
	}{
		{"openmpi-4.1", LibraryCall{"allreduce", 64, 64, 8, 1}, "recursive_doubling"},
		{"openmpi-4.1", LibraryCall{"allreduce", 128, 64, 131071, 16383}, "nonoverlapping"},
		{"openmpi-4.1", LibraryCall{"allreduce", 128, 64, 131072, 16384}, "recursive_doubling"},
		{"openmpi-4.1", LibraryCall{"allreduce", 65536, 64, 32768, 32768}, "basic_linear"}, // rabenseifner, with too few elements
		{"openmpi-4.1", LibraryCall{"allreduce", 65535, 64, 32768, 32768}, "rabenseifner"},
		{"openmpi-5.0", LibraryCall{"allreduce", 65536, 64, 32768, 32768}, "basic_linear"},
		{"openmpi-2026", LibraryCall{"allreduce", 65536, 64, 32768, 32768}, "rabenseifner"},
		{"openmpi-4.1", LibraryCall{"allreduce", 8, 1, 1024, 128}, "recursive_doubling"},
		{"openmpi-2026", LibraryCall{"allreduce", 8, 1, 1024, 128}, "allgather_reduce"},
		{"openmpi-2026", LibraryCall{"allreduce", 8, 2, 1024, 128}, "recursive_doubling"},
		{"openmpi-4.1", LibraryCall{"exchange", 2, 1, 3, 3}, "two_proc"},
		{"openmpi-4.1", LibraryCall{"allgather", 2, 1, 1 << 20, 1 << 20}, "two_proc"},
		{"openmpi-4.1", LibraryCall{"bcast", 3, 3, 31, 31}, "pipeline"},
		{"mpich-4.3", LibraryCall{"allgather", 64, 8, 8191, 8191}, "recursive_doubling"}, // 524,224 B in all
		{"mpich-4.3", LibraryCall{"allgather", 64, 8, 8192, 8192}, "ring"},
		{"mpich-4.3", LibraryCall{"allgather", 63, 8, 1024, 1024}, "brucks"},
		{"mpich-4.3", LibraryCall{"allreduce", 64, 1, 64, 8}, "recursive_doubling"}, // fewer elements than ranks
		{"mpich-4.3", LibraryCall{"allreduce", 64, 1, 512, 64}, "reduce_scatter_allgather"},
		{"mpich-4.3", LibraryCall{"allreduce", 64, 8, 512, 64}, "composition_alpha"},
		{"mpich-4.3", LibraryCall{"exchange", 8, 1, 256, 256}, "brucks"},
		{"mpich-4.3", LibraryCall{"exchange", 8, 1, 257, 257}, "scattered"},
	} {
		l, err := FindLibrary(c.library)
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.Select(c.call)
		if err != nil {
			t.Fatal(err)
		}
		if got.Name != c.want {
			t.Errorf("%s, %+v: %s, want %s", c.library, c.call, got.Name, c.want)
		}
	}
}

// TestLibraryExample checks the decisions of the example in CONTRIBUTING.
func TestLibraryExample(t *testing.T) {
	data, err := os.ReadFile("testdata/our-mpi.toml")
	if err != nil {
		t.Fatal(err)
	}
	l, err := decodeLibrary("our-mpi", "our-mpi.toml", data)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		call LibraryCall
		want string
	}{
		{LibraryCall{"bcast", 64, 1, 1 << 20, 1 << 17}, "binomial"},
		{LibraryCall{"bcast", 64, 8, 12287, 1535}, "binomial"},
		{LibraryCall{"bcast", 64, 8, 12288, 1536}, "scatter_ring"},
		{LibraryCall{"bcast", 4096, 8, 12288, 1536}, "binomial"}, // fewer elements than ranks
	} {
		if got, err := l.Select(c.call); err != nil || got.Name != c.want {
			t.Errorf("%+v: %s, want %s (%v)", c.call, got.Name, c.want, err)
		}
	}
}

// TestLibraryMistakes checks that mistakes are errors with line and key.
func TestLibraryMistakes(t *testing.T) {
	const good = `title = "A library"
source = "its documentation"

[bcast.algorithms]
linear = { use = ["flat"] }
tree = { use = ["kary"], radix = 2, needs = "ranks", otherwise = "linear" }

[[bcast.rule]]
ranks_below = 4
algorithms = ["linear"]

[[bcast.rule]]
bytes_below = [100, 200]
algorithms = ["linear", "tree", "linear"]
`
	if _, err := decodeLibrary("x", "x.toml", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, with, want string }{
		{`title = "A library"`, ``, `x.toml: title: missing; add title = "the library and its version"`},
		{`ranks_below = 4`, `ranks_under = 4`, `x.toml:9: bcast.rule.1.ranks_under: unknown key; a rule has`},
		{`ranks_below = 4`, `ranks_below = 1`, `x.toml:9: bcast.rule.1.ranks_below: is 1; want a number, from 2`},
		{`[100, 200]`, `[200, 100]`, `x.toml:13: bcast.rule.2.bytes_below: 100 follows 200; want ascending sizes`},
		{`["linear", "tree", "linear"]`, `["linear", "tree"]`, `has 2 names, want 3: one more than bytes_below has sizes`},
		{`["linear", "tree", "linear"]`, `["linear", "wood", "linear"]`, `"wood" is not among bcast.algorithms`},
		{`bytes_below = [100, 200]`, "ranks_below = 9\nbytes_below = [100, 200]", `the last rule is not for every team`},
		{`otherwise = "linear"`, `otherwise = "tree"`, `"tree" is not an algorithm of the file that runs with any number`},
		{`radix = 2`, `radix = 2, flat = true`, `has a radix, too; use one of them`},
		{`radix = 2`, `flat = 1`, `flat: want true or false`},
		{"[bcast.algorithms]", "same_as = \"none\"\n[bcast.algorithms]", `same_as: want one of "mpich-4.3"`},
	} {
		_, err := decodeLibrary("x", "x.toml", []byte(strings.Replace(good, c.old, c.with, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s instead of %s: %v, want %q", c.with, c.old, err, c.want)
		}
	}
}
