//go:build linux && (amd64 || arm64)

package mpi

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// LibraryVariable is the environment variable with the file of the MPI library.
const LibraryVariable = "HYBRIDTOP_MPI_LIB"

// family is the binary interface of a library.
type family struct {
	name        string
	files       []string // default libraries
	launched    string   // environment variable that its launcher sets
	onHost      string   // environment variable with the number of processes on the host
	requestSize int      // bytes of MPI_Request
	ignore      uintptr  // MPI_STATUS_IGNORE
	handles     [handles]handle
}

// handle is a handle of MPI: its value, or the name of the variable whose address is the handle.
type handle struct {
	value  uintptr
	symbol string
}

// The handles.
const (
	world = iota
	byteType
	nullRequest
	errorsReturn
	handles
)

// families is the table of binary interfaces. The values are from the files mpi.h of Open MPI 4.1 and
// of MPICH 4.0.
var families = []family{
	{
		name: "Open MPI", files: []string{"libmpi.so.40", "libmpi.so"}, launched: "OMPI_COMM_WORLD_SIZE", requestSize: 8,
		onHost: "OMPI_COMM_WORLD_LOCAL_SIZE",
		handles: [handles]handle{{symbol: "ompi_mpi_comm_world"}, {symbol: "ompi_mpi_byte"}, {symbol: "ompi_request_null"},
			{symbol: "ompi_mpi_errors_return"}},
	},
	{
		name: "MPICH", files: []string{"libmpich.so.12", "libmpi.so.12"}, launched: "PMI_SIZE", requestSize: 4, ignore: 1,
		onHost:  "MPI_LOCALNRANKS",
		handles: [handles]handle{{value: 0x44000000}, {value: 0x4c00010d}, {value: 0x2c000000}, {value: 0x54000001}},
	},
}

// The functions of a library.
const (
	initThread = iota
	commRank
	commSize
	getVersion
	setErrhandler
	isend
	issend
	irecv
	test
	testsome
	cancel
	wait
	finalize
	abort
	functions
)

var functionNames = [functions]string{"MPI_Init_thread", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Get_library_version",
	"MPI_Comm_set_errhandler", "MPI_Isend", "MPI_Issend", "MPI_Irecv", "MPI_Test", "MPI_Testsome", "MPI_Cancel", "MPI_Wait", "MPI_Finalize", "MPI_Abort"}

// isImmediate lists the functions that do not wait for another process.
var isImmediate = [functions]bool{isend: true, issend: true, irecv: true, test: true, testsome: true}

// library is a loaded MPI library.
type library struct {
	*family
	file    string
	version string
	call    [functions]uintptr
	handle  [handles]uintptr
}

// maxVersion is the maximum length of a library's version, MPI_MAX_LIBRARY_VERSION_STRING of MPICH.
const maxVersion = 8192

// candidates returns the files to try: the file that the environment names, or the default files, the
// launcher's library first.
func candidates() []string {
	if file := os.Getenv(LibraryVariable); file != "" {
		return []string{file}
	}
	var first, later []string
	for _, f := range families {
		if os.Getenv(f.launched) != "" {
			first = append(first, f.files...)
		} else {
			later = append(later, f.files...)
		}
	}
	return append(first, later...)
}

// load loads an MPI library.
func load() (*library, error) {
	var failures []error
	for _, file := range candidates() {
		at, err := purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		return newLibrary(file, at)
	}
	return nil, fmt.Errorf("no MPI library: %w (set %s to the file libmpi.so of the launcher)", errors.Join(failures...),
		LibraryVariable)
}

func newLibrary(file string, at uintptr) (*library, error) {
	l := &library{file: file}
	for i, name := range functionNames {
		f, err := purego.Dlsym(at, name)
		if err != nil {
			return nil, fmt.Errorf("%s: not an MPI library: %w", file, err)
		}
		l.call[i] = f
	}
	text, n := make([]byte, maxVersion), new(int32)
	// Both conversions are arguments of the call, so that the buffers are on the heap and do not move with a stack.
	code, _, _ := purego.SyscallN(l.call[getVersion], uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(n)))
	if int32(code) != 0 {
		return nil, fmt.Errorf("%s: MPI_Get_library_version fails with code %d", file, int32(code))
	}
	text, _, _ = bytes.Cut(text, []byte{0})
	l.version = string(text)
	for i := range families {
		if strings.HasPrefix(l.version, families[i].name) {
			l.family = &families[i]
		}
	}
	if l.family == nil {
		return nil, fmt.Errorf("%s: unknown MPI library %q, want Open MPI or MPICH", file, l.version)
	}
	for i, h := range l.handles {
		l.handle[i] = h.value
		if h.symbol == "" {
			continue
		}
		var err error
		if l.handle[i], err = purego.Dlsym(at, h.symbol); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return l, nil
}

// invoke calls a function of the library. It returns an error if the function fails.
func (l *library) invoke(c *invocation, function int, args ...uintptr) error {
	if code := c.run(false, l.call[function], args...); code != 0 {
		return l.failure(function, code)
	}
	return nil
}

// failure returns the error of a function that has returned a code.
func (l *library) failure(function int, code int32) error {
	return fmt.Errorf("%s: %s fails with code %d", l.name(), functionNames[function], code)
}

// onHost returns the number of processes on this host, or all processes if the launcher has not stated it.
func onHost(f *family, processes int) int {
	n, err := strconv.Atoi(os.Getenv(f.onHost))
	if err != nil || n < 1 || n > processes {
		return processes
	}
	return n
}

// name returns the library's name with its version: "Open MPI v4.1.4", "MPICH 4.0.2".
func (l *library) name() string {
	words := strings.FieldsFunc(l.version, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' })
	for i, w := range words {
		if digits := strings.TrimPrefix(w, "v"); digits != "" && digits[0] >= '0' && digits[0] <= '9' {
			return l.family.name + " " + words[i]
		}
	}
	return l.family.name
}

// address returns the address of a buffer, which must be on the heap. The caller keeps the buffer alive.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
