package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/hybridtop/hybridtop/internal/atomicfile"
)

// version is that of the files that this program writes.
const version = 1

// longest bounds a file, in bytes.
const longest = 1 << 20

// maxOpen bounds the brackets of a file: the parser descends at each.
const maxOpen = 10000

// patience is how long another screen's lock is waited for.
const patience = 2 * time.Second

// file is one of the two.
type file struct {
	name string // with its folder
	head string // its first line
}

// tree is a file's content.
type tree = map[string]any

// A broken file cannot be read as what it should be; its bytes are kept.
type broken struct {
	text string
	data []byte
}

func (e *broken) Error() string { return e.text }

// newer says that a later program wrote the file.
type newer struct{ text string }

func (e *newer) Error() string { return e.text }

// read gives the content of a file; one that is not there is empty.
func (f *file) read() (tree, error) {
	info, err := os.Stat(f.name) // before opening: a pipe would block there
	if errors.Is(err, fs.ErrNotExist) {
		return tree{}, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no plain file", f.name)
	}
	if info.Size() > longest {
		return nil, fmt.Errorf("%s has %d bytes, more than the %d of such a file", f.name, info.Size(), longest)
	}
	in, err := os.Open(f.name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, longest))
	if err != nil {
		return nil, err
	}
	return f.parse(data)
}

// parse reads the text of a file.
func (f *file) parse(data []byte) (tree, error) {
	if n := bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{")); n > maxOpen {
		return nil, &broken{fmt.Sprintf("%s: %d opening brackets", f.name, n), data}
	}
	t := tree{}
	if err := toml.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &t); err != nil {
		where := f.name
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			where = fmt.Sprintf("%s:%d", f.name, line)
		}
		return nil, &broken{where + ": " + visible(strings.TrimPrefix(err.Error(), "toml: ")), data}
	}
	v, given := t["version"]
	n, ok := v.(int64)
	switch {
	case given && !ok || n < 0:
		return nil, &broken{f.name + ": version: want a whole number", data}
	case n > version:
		return nil, &newer{fmt.Sprintf("%s: version %d, by a newer hybridtop; this one knows version %d", f.name, n, version)}
	}
	return t, nil
}

// replace reads the file anew, changes it, and writes it as a whole. copied is where
// the text of a broken one went.
func (f *file) replace(ctx context.Context, change func(tree)) (copied string, err error) {
	if err := os.MkdirAll(filepath.Dir(f.name), 0o700); err != nil {
		return "", err
	}
	unlock := lock(ctx, filepath.Dir(f.name))
	defer unlock()
	t, err := f.read()
	var bad *broken
	if errors.As(err, &bad) {
		if copied, err = f.keepCopy(ctx, bad.data); err != nil {
			return "", fmt.Errorf("%s is broken and stays, for no copy of it can be made: %w", f.name, err)
		}
		t = tree{}
	}
	if err != nil {
		return "", err
	}
	change(t)
	t["version"] = int64(version)
	text, err := toml.Marshal(t)
	if err != nil {
		return copied, err
	}
	name := f.name
	if to, err := filepath.EvalSymlinks(name); err == nil { // a link stays one
		name = to
	}
	return copied, atomicfile.Write(ctx, name, append([]byte(f.head+"\n"), text...))
}

// mostCopies is how many broken files of a name are kept.
const mostCopies = 100

// keepCopy writes a broken file's text beside it, unless a copy has it already.
func (f *file) keepCopy(ctx context.Context, data []byte) (string, error) {
	for i := range mostCopies {
		name := f.name + ".broken"
		if i > 0 {
			name += fmt.Sprintf("-%d", i+1)
		}
		old, err := os.ReadFile(name)
		switch {
		case err == nil && bytes.Equal(old, data):
			return name, nil
		case errors.Is(err, fs.ErrNotExist):
			return name, atomicfile.Write(ctx, name, data)
		}
	}
	return "", fmt.Errorf("%s has %d copies already; remove some", f.name, mostCopies)
}
