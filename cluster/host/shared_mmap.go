//go:build linux && (amd64 || arm64)

package host

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sharedPath is the form of the path of shared memory in /proc.
var sharedPath = regexp.MustCompile(`^[0-9]+/fd/[0-9]+$`)

// sharedFile is the label of the memory's file in /proc. The file is in no folder.
const sharedFile = "hybridtop"

// fixedSize is the set of seals that fix the size of a file.
const fixedSize = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// Share returns n bytes of memory that other processes of this host can map. The system frees it when all of them
// have closed it or have ended.
func Share(n int64) (*Shared, error) {
	fd, err := unix.MemfdCreate(sharedFile, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("host: cannot make shared memory: %w", err)
	}
	err = unix.Ftruncate(fd, sharedHead+n)
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, fixedSize)
	}
	var s *Shared
	if err == nil {
		s, err = mapShared(fd, n)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("host: cannot make %d B of shared memory: %w", n, err)
	}
	s.name = fmt.Sprintf("%d/fd/%d %s", os.Getpid(), fd, rand.Text())
	s.close = func() error { return unix.Close(fd) }
	copy(s.mapped[:sharedHead], s.name)
	return s, nil
}

// MapShared maps the memory of that name, which a process of this host has made with n bytes. It refuses other files.
func MapShared(name string, n int64) (*Shared, error) {
	path, _, ok := strings.Cut(name, " ")
	if !ok || len(name) > sharedHead || !sharedPath.MatchString(path) {
		return nil, fmt.Errorf("host: %q does not name shared memory", name)
	}
	path = filepath.Join("/proc", path)
	target, err := os.Readlink(path)
	if err != nil {
		return nil, fmt.Errorf("host: shared memory: %w", err)
	}
	if !strings.HasPrefix(target, "/memfd:"+sharedFile) {
		return nil, fmt.Errorf("host: shared memory %s is another file: %q", path, target)
	}
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("host: cannot open shared memory: %w", err)
	}
	defer unix.Close(fd)
	var file unix.Stat_t
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err == nil {
		err = unix.Fstat(fd, &file)
	}
	if err != nil {
		return nil, fmt.Errorf("host: shared memory: %w", err)
	}
	if file.Size != sharedHead+n || seals&fixedSize != fixedSize {
		return nil, fmt.Errorf("host: shared memory of %d B with seals %#x: want %d B of a fixed size", file.Size, seals, sharedHead+n)
	}
	s, err := mapShared(fd, n)
	if err != nil {
		return nil, fmt.Errorf("host: cannot map shared memory: %w", err)
	}
	if got := strings.TrimRight(string(s.mapped[:sharedHead]), "\x00"); got != name {
		s.Close()
		return nil, fmt.Errorf("host: shared memory of another process: %q, want %q", got, name)
	}
	s.name = name
	return s, nil
}

func mapShared(fd int, n int64) (*Shared, error) {
	b, err := unix.Mmap(fd, 0, int(sharedHead+n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // the system may refuse
	return &Shared{mapped: b}, nil
}

// Close releases the memory in this process. The addresses stay in use, and then read as zeros. A program that still
// uses a slice neither crashes nor changes the memory of another process.
func (s *Shared) Close() error {
	at := unsafe.Pointer(unsafe.SliceData(s.mapped))
	_, err := unix.MmapPtr(-1, 0, at, uintptr(len(s.mapped)), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE|unix.MAP_FIXED)
	if s.close != nil {
		err = errors.Join(err, s.close())
		s.close = nil
	}
	return err
}
