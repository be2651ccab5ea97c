package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Check returns the error that Write would return for a file, before its content is computed.
func Check(name string) error {
	mode, err := modeOf(name)
	if err != nil {
		return err
	}
	f, err := createTemporary(name, mode)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// CheckTarget returns an error if the name belongs to something that is not a writable regular
// file, for writers that change a file in place.
func CheckTarget(name string) error {
	_, err := modeOf(name)
	return err
}

// Open opens a file to read and change it in place. It creates the file if it does not exist.
func Open(name string) (*os.File, error) {
	mode, err := modeOf(name)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NONBLOCK, mode)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil {
		var named fs.FileInfo
		named, err = os.Lstat(name) // another file may have got the name
		if err == nil && !os.SameFile(opened, named) {
			err = fmt.Errorf("%s changed while it was opened", name)
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// defaultMode is the mode of a new file, before the umask.
const defaultMode fs.FileMode = 0o644

// modeOf returns the maximum mode of the file. It returns an error if a file cannot replace the
// target.
func modeOf(name string) (fs.FileMode, error) {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return defaultMode, nil
	case err != nil:
		return 0, err
	case info.Mode()&fs.ModeSymlink != 0:
		return 0, fmt.Errorf("%s is a link: want the name of the file itself", name)
	case info.IsDir():
		return 0, fmt.Errorf("%s is a folder: want the name of a file in it", name)
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s: not a regular file: only regular files can be replaced", name)
	case info.Mode()&0o200 == 0:
		return 0, fmt.Errorf("%s is write-protected", name)
	}
	return info.Mode().Perm() & defaultMode, nil
}

// createTemporary creates a new file in the folder of name.
func createTemporary(name string, mode fs.FileMode) (*os.File, error) {
	dir := filepath.Dir(name)
	for try := 0; ; try++ {
		temp := filepath.Join(dir, fmt.Sprintf(".hybridtop-%d-%d.tmp", os.Getpid(), try))
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) && try < 1000 {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, reason(err))
		}
		return f, nil
	}
}

// pieceSize is the number of bytes written between two checks of the context.
const pieceSize = 1 << 20

// cleanupTime is the time that an interrupted Write waits for the removal of its temporary file.
const cleanupTime = 200 * time.Millisecond

// Write creates or replaces a file. If the context ends first, the file does not change, and Write
// does not wait for a file system that does not respond.
func Write(ctx context.Context, name string, data []byte) error {
	return Stream(ctx, name, func(w io.Writer) error {
		for len(data) > 0 {
			n := min(len(data), pieceSize)
			if _, err := w.Write(data[:n]); err != nil {
				return err
			}
			data = data[n:]
		}
		return nil
	})
}

// Stream writes a file like Write, with the output of fill as its content. It ends with the
// context.
func Stream(ctx context.Context, name string, fill func(io.Writer) error) error {
	done := make(chan error, 1)
	go func() { done <- stream(ctx, name, fill) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(cleanupTime):
		return fmt.Errorf("%s: %w", name, context.Cause(ctx))
	}
}

func stream(ctx context.Context, name string, fill func(io.Writer) error) error {
	mode, err := modeOf(name)
	if err != nil {
		return err
	}
	f, err := createTemporary(name, mode)
	if err != nil {
		return err
	}
	err = fill(&contextWriter{ctx: ctx, w: f})
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("%s: %w", name, reason(err))
	}
	if dir, err := os.Open(filepath.Dir(name)); err == nil { // not every system supports it
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// contextWriter is a writer that fails after its context has ended.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (u *contextWriter) Write(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.w.Write(p)
}

// reason returns an error without the temporary name, which the user does not know.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
