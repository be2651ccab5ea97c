package inputfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"syscall"
)

// Unlimited is the size limit of a file that is not read into memory as a whole.
const Unlimited = math.MaxInt64

// Open opens a regular file of at most limit bytes. Its errors are of type *fs.PathError.
func Open(name string, limit int64) (*os.File, error) {
	fail := func(err error) (*os.File, error) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: reason(err)}
	}
	if name == "" {
		return fail(errors.New("the name of the file is empty"))
	}
	info, err := os.Stat(name) // before opening, because opening a device can have an effect
	if err == nil {
		err = check(info, limit)
	}
	if err != nil {
		return fail(err)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fail(err)
	}
	info, err = f.Stat() // another file may have got the name
	if err == nil {
		err = check(info, limit)
	}
	if err != nil {
		_ = f.Close()
		return fail(err)
	}
	return f, nil
}

// Read returns the content of a regular file of at most limit bytes.
func Read(name string, limit int64) ([]byte, error) {
	f, err := Open(name, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if limit < Unlimited {
		limit++
	}
	data, err := io.ReadAll(io.LimitReader(f, limit)) // it may have grown
	if err == nil && limit < Unlimited && int64(len(data)) == limit {
		err = tooLarge(int64(len(data)), limit-1)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: reason(err)}
	}
	return data, nil
}

// check returns an error if a file is not regular, or too large.
func check(info fs.FileInfo, limit int64) error {
	switch {
	case !info.Mode().IsRegular():
		return errors.New("not a regular file")
	case info.Size() > limit:
		return tooLarge(info.Size(), limit)
	}
	return nil
}

func tooLarge(size, limit int64) error {
	return fmt.Errorf("%d bytes, want at most %d", size, limit)
}

// reason returns an error without the name of the file.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
