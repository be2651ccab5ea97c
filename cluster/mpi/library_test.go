//go:build linux && (amd64 || arm64)

package mpi

import (
	"slices"
	"strings"
	"testing"
)

// TestCandidates checks that the launcher's library is tried first, and only the named file if there is one.
func TestCandidates(t *testing.T) {
	for _, f := range families {
		t.Setenv(f.launched, "")
	}
	t.Setenv(LibraryVariable, "")
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			t.Setenv(f.launched, "2")
			all := candidates()
			if !slices.Equal(all[:len(f.files)], f.files) || len(all) < 4 {
				t.Errorf("files %v", all)
			}
		})
	}
	t.Setenv(LibraryVariable, "/opt/libmpi.so")
	if all := candidates(); !slices.Equal(all, []string{"/opt/libmpi.so"}) {
		t.Errorf("files %v", all)
	}
}

// TestOnHost checks the number of processes on the host.
func TestOnHost(t *testing.T) {
	for _, f := range families {
		for text, want := range map[string]int{"2": 2, "8": 8, "": 8, "0": 8, "9": 8, "-1": 8, "two": 8} {
			t.Setenv(f.onHost, text)
			if got := onHost(&f, 8); got != want {
				t.Errorf("%s = %q: %d of 8 processes, want %d", f.onHost, text, got, want)
			}
		}
	}
}

// TestMissingLibrary checks that the error names the file, and the variable to set.
func TestMissingLibrary(t *testing.T) {
	t.Setenv(LibraryVariable, "/nowhere/libmpi.so")
	_, err := load()
	if err == nil || !strings.Contains(err.Error(), "/nowhere/libmpi.so") || !strings.Contains(err.Error(), LibraryVariable) {
		t.Errorf("error %v", err)
	}
}

// TestNames checks the names of libraries in results, from their version texts.
func TestNames(t *testing.T) {
	for version, want := range map[string]string{
		"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022": "Open MPI v4.1.4",
		"MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n":             "MPICH 4.0.2",
		"MPICH": "MPICH",
	} {
		l := &library{version: version}
		for i := range families {
			if strings.HasPrefix(version, families[i].name) {
				l.family = &families[i]
			}
		}
		if got := l.name(); got != want {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
	}
}
