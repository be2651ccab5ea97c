package atomicfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// in creates a folder and checks at the end that it contains only the named files.
func in(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Error(err)
		}
		var left []string
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if got, want := strings.Join(left, " "), strings.Join(names, " "); got != want {
			t.Errorf("left in the folder: %q, want %q", got, want)
		}
	})
	return dir
}

func holds(t *testing.T, file, want string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != want {
		t.Errorf("%s contains %.40q, want %q", file, b, want)
	}
}

func put(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

func TestWriteCreatesAndReplaces(t *testing.T) {
	file := filepath.Join(in(t, "a.svg"), "a.svg")
	for _, text := range []string{"first", "", strings.Repeat("x", 3*pieceSize+1), "last"} {
		if err := Check(file); err != nil {
			t.Fatal(err)
		}
		if err := Write(t.Context(), file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		holds(t, file, text)
	}
}

// Check and Write return an error for a target that is not a regular file or is in a place where
// none can be written. The target does not change.
func TestRefused(t *testing.T) {
	dir := in(t, "file", "folder", "gone", "link", "locked", "to")
	at := func(name string) string { return filepath.Join(dir, name) }
	put(t, at("file"), "plain", 0o644)
	put(t, at("to"), "behind the link", 0o644)
	put(t, at("locked"), "locked", 0o444)
	if err := errors.Join(os.Mkdir(at("folder"), 0o755), os.Symlink("to", at("link")),
		os.Symlink("nowhere", at("gone"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"link":        "is a link",
		"gone":        "is a link",
		"folder":      "is a folder",
		"locked":      "is write-protected",
		"none/a.svg":  "no such file or directory",
		"file/a.svg":  "not a directory",
		"file\x00svg": "invalid argument",
	} {
		for what, err := range map[string]error{"Check": Check(at(name)),
			"Write": Write(t.Context(), at(name), []byte("new"))} {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), at(name)) {
				t.Errorf("%s of %q: got %v, want %s", what, name, err, want)
			}
			if err != nil && strings.Contains(err.Error(), ".tmp") {
				t.Errorf("the error of %s of %q contains the temporary name: %v", what, name, err)
			}
		}
	}
	holds(t, at("to"), "behind the link")
	holds(t, at("locked"), "locked")
}

// Folders in the path can be links.
func TestFolderLink(t *testing.T) {
	dir := in(t, "link", "to")
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "to"), 0o755),
		os.Symlink("to", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), filepath.Join(dir, "link", "a"), []byte("a")); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(dir, "to", "a"), "a")
}

// closing is a context that ends after a number of checks.
type closing struct {
	context.Context
	looks int
}

func (c *closing) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// A context that ends at any time leaves either the old file or the new one.
func TestInterrupted(t *testing.T) {
	file := filepath.Join(in(t, "a"), "a")
	for looks := range 8 {
		put(t, file, "old", 0o644)
		text := strings.Repeat("n", 3*pieceSize)
		err := Write(&closing{t.Context(), looks}, file, []byte(text))
		if err == nil {
			holds(t, file, text)
			if looks < 3 {
				t.Errorf("not interrupted after %d checks", looks)
			}
			continue
		}
		holds(t, file, "old")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("a signal"))
	put(t, file, "old", 0o644)
	if err := Write(ctx, file, []byte("new")); err == nil || !strings.Contains(err.Error(), "a signal") {
		t.Errorf("got %v", err)
	}
	holds(t, file, "old")
}
