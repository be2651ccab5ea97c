package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/internal/inputfile"
	"github.com/hybridtop/hybridtop/internal/tomlkeys"
)

// version is the version of the files that this program writes.
const version = 1

// maxSize is the maximum size of a file, in bytes.
const maxSize = 1 << 20

// maxOpen is the maximum number of opening brackets in a file, because the parser recurses at each.
const maxOpen = 10000

// maxKeys is the maximum number of keys in a file. All knobs of all workloads are below 4,000.
const maxKeys = 10000

// patience is the longest wait for another screen's lock.
const patience = 2 * time.Second

// file is one of the two files.
type file struct {
	name string // path
	head string // first line
}

// tree is the content of a file.
type tree = map[string]any

// broken is the error of a file that cannot be parsed. It holds the content of the file.
type broken struct {
	text string
	data []byte
}

func (e *broken) Error() string { return e.text }

// newer is the error of a file that a newer program wrote.
type newer struct{ text string }

func (e *newer) Error() string { return e.text }

// read returns the content of a file, which is empty if the file does not exist.
func (f *file) read() (tree, error) {
	data, err := inputfile.Read(f.name, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return tree{}, nil
	}
	if err != nil {
		return nil, err
	}
	return f.parse(data)
}

// parse parses the text of a file.
func (f *file) parse(data []byte) (tree, error) {
	if n := bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{")); n > maxOpen {
		return nil, &broken{fmt.Sprintf("%s: %d opening brackets", f.name, n), data}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if line := tomlkeys.Excess(data, maxKeys, nil); line > 0 {
		return nil, &broken{fmt.Sprintf("%s:%d: more than %d keys", f.name, line, maxKeys), data}
	}
	t := tree{}
	if err := toml.Unmarshal(data, &t); err != nil {
		where := f.name
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			where = fmt.Sprintf("%s:%d", f.name, line)
		}
		return nil, &broken{where + ": " + visible(strings.TrimPrefix(err.Error(), "toml: ")), data}
	}
	v, present := t["version"]
	n, ok := v.(int64)
	switch {
	case present && !ok || n < 0:
		return nil, &broken{f.name + ": version: want a whole number", data}
	case n > version:
		return nil, &newer{fmt.Sprintf("%s: version %d of a newer hybridtop, want at most %d", f.name, n, version)}
	}
	return t, nil
}

// replace reads the file again, changes it, and replaces it atomically. copied is the name of the
// copy of a broken file, or "".
func (f *file) replace(ctx context.Context, change func(tree)) (copied string, err error) {
	if err := os.MkdirAll(filepath.Dir(f.name), 0o700); err != nil {
		return "", err
	}
	unlock := lock(ctx, filepath.Dir(f.name))
	defer unlock()
	t, err := f.read()
	var bad *broken
	if errors.As(err, &bad) {
		copied, err = f.keepCopy(ctx, bad.data)
		if err != nil {
			return "", fmt.Errorf("%s: broken and not replaced, because it cannot be copied: %w", f.name, err)
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
	if to, err := filepath.EvalSymlinks(name); err == nil { // keep a link
		name = to
	}
	return copied, atomicfile.Write(ctx, name, append([]byte(f.head+"\n"), text...))
}

// maxCopies is the maximum number of copies of a broken file.
const maxCopies = 100

// keepCopy writes the text of a broken file to a copy in the same folder, unless such a copy
// exists.
func (f *file) keepCopy(ctx context.Context, data []byte) (string, error) {
	for i := range maxCopies {
		name := f.name + ".broken"
		if i > 0 {
			name += fmt.Sprintf("-%d", i+1)
		}
		old, err := inputfile.Read(name, maxSize)
		switch {
		case err == nil && bytes.Equal(old, data):
			return name, nil
		case errors.Is(err, fs.ErrNotExist):
			return name, atomicfile.Write(ctx, name, data)
		}
	}
	return "", fmt.Errorf("%s: %d copies exist already (remove some)", f.name, maxCopies)
}
