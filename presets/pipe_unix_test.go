//go:build unix

package presets

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipeAsMachine: a named pipe is refused. Opening it would block.
func TestPipeAsMachine(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.toml")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := LoadMachine(pipe)
	wantError(t, err, pipe+": not a regular file")
}
