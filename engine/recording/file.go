package recording

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"modernc.org/sqlite"

	"github.com/hybridtop/hybridtop/internal/build"
	"github.com/hybridtop/hybridtop/internal/inputfile"
	"github.com/hybridtop/hybridtop/internal/safetext"
)

// File is a recording opened for reading.
type File struct {
	Name string
	Runs []RunInfo

	format     int
	db         *sql.DB
	conn       *sql.Conn
	statements map[string]driver.Stmt // by query; nil: in use
	unpack     *unpacker

	decoders []*unpacker // of lanes
}

// RunInfo describes a run of a file.
type RunInfo struct {
	ID             int64
	Sweep          string // knobs of a point of a sweep
	Began          time.Time
	Length         time.Duration
	Version, Build string // see Program
	Rules          string // revision of the simulator's cost rules; "": unknown
	OS, Arch       string
	Cores          int
	Finished       bool  // the run ended and was not interrupted
	Lost           int64 // snapshots that were published too fast to be recorded
}

// Program returns the program that recorded the run.
func (r *RunInfo) Program() build.Program { return build.Parse(r.Version, r.Build) }

// Limits of the data that is read.
const (
	maxValueBytes = 64 << 20 // per value
	limitBytes    = 0        // SQLITE_LIMIT_LENGTH
	maxReadWait   = 5 * time.Second
	headerSize    = 100
)

var nan = math.NaN()

const magic = "SQLite format 3\x00"

// Open opens a recording for reading. An error distinguishes a damaged recording from a file
// that is not one.
func Open(name string) (*File, error) {
	format, err := sniff(name)
	if err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	if err := checkCompanions(name); err != nil {
		return nil, err
	}
	if err := recoverJournal(name); err != nil {
		return nil, err
	}
	db, err := connect(name,
		fmt.Sprintf("mode=ro&_pragma=busy_timeout(%d)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=query_only(1)", maxReadWait.Milliseconds()))
	if err != nil {
		return nil, err
	}
	f := &File{Name: name, format: format, db: db, statements: make(map[string]driver.Stmt), unpack: newUnpacker()}
	if err := f.begin(); err != nil {
		_ = f.Close()
		return nil, f.explain(err)
	}
	return f, nil
}

// sniff checks the header of a file, and returns the format of its tables.
func sniff(name string) (int, error) {
	f, err := inputfile.Open(name, inputfile.Unlimited)
	if err != nil {
		return 0, fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	}
	defer f.Close()
	var head [headerSize]byte
	n, err := io.ReadFull(f, head[:])
	switch {
	case n == 0:
		return 0, errors.New("is empty: not a recording")
	case string(head[:min(n, len(magic))]) != magic[:min(n, len(magic))]:
		return 0, errors.New("is not a recording (hybridtop record writes one)")
	case err != nil:
		return 0, fmt.Errorf("is truncated: %d bytes", n)
	}
	if id := binary.BigEndian.Uint32(head[68:]); id != applicationID {
		return 0, errors.New("is not a recording: SQLite file of another program")
	}
	v := binary.BigEndian.Uint32(head[60:])
	switch {
	case v > version:
		return 0, fmt.Errorf("is a recording of format %d: this program reads formats %d to %d (written by a "+
			"newer program)", v, minVersion, version)
	case v < minVersion:
		return 0, fmt.Errorf("is a recording of format %d: this program reads formats %d to %d", v, minVersion, version)
	}
	return int(v), nil
}

// checkCompanions returns an error if a file that SQLite would open together with a recording is a
// link, a pipe or a device.
func checkCompanions(name string) error {
	for _, suffix := range []string{"-journal", "-wal", "-shm"} {
		info, err := os.Lstat(name + suffix)
		if err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s%s: not a regular file (remove it)", name, suffix)
		}
	}
	return nil
}

// recoverJournal rolls back the unfinished transaction of a killed writer. This needs write
// permission.
func recoverJournal(name string) error {
	info, err := os.Stat(name + "-journal")
	if err != nil || info.Size() == 0 {
		return nil
	}
	db, err := connect(name, fmt.Sprintf("mode=rw&_pragma=busy_timeout(%d)", maxReadWait.Milliseconds()))
	if err != nil {
		return err
	}
	defer db.Close()
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM sqlite_schema`).Scan(&n); err != nil {
		if isBusy(err) {
			return fmt.Errorf(beingWritten, name, err)
		}
		return fmt.Errorf("%s: writing was interrupted; to recover it, copy it and %s-journal to a writable folder: %w",
			name, name, err)
	}
	return nil
}

const beingWritten = "%s is locked by another program that writes to it: %w"

// isBusy reports whether another program has locked the file.
func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == 5 // SQLITE_BUSY
}

// explain adds the file name and the kind of problem to an error.
func (f *File) explain(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		if code := e.Code() & 0xff; code == 11 || code == 26 { // SQLITE_CORRUPT, SQLITE_NOTADB
			return fmt.Errorf("%s is damaged: %w", f.Name, err)
		}
	}
	if isBusy(err) {
		return fmt.Errorf(beingWritten, f.Name, err)
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}

func (f *File) begin() error {
	var err error
	f.conn, err = f.db.Conn(context.Background())
	if err != nil {
		return err
	}
	if _, err := sqlite.Limit(f.conn, limitBytes, maxValueBytes); err != nil {
		return err
	}
	if err := f.checkComplete(); err != nil {
		return err
	}
	if err := f.checkTables(); err != nil {
		return err
	}
	rules := "rules"
	if f.format <= 2 {
		rules = "NULL"
	}
	return f.each(`SELECT id, sweep, began_utc, ended_ns, version, build, `+rules+`, goos, goarch, cores, finished, lost FROM run ORDER BY id`, nil, func(r *resultRow) {
		x := RunInfo{ID: r.int(), Sweep: r.text()}
		x.Began, _ = time.Parse(time.RFC3339, r.text())
		x.Length = time.Duration(r.int())
		x.Version = r.text()
		x.Build = r.text()
		x.Rules = r.text()
		x.OS = r.text()
		x.Arch = r.text()
		x.Cores = int(r.int())
		x.Finished = r.int() != 0
		x.Lost = r.int()
		f.Runs = append(f.Runs, x)
	})
}

// checkComplete returns an error if the end of the file is missing.
func (f *File) checkComplete() error {
	tx, err := f.conn.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var tables int64
	damage := tx.QueryRow(`SELECT count(*) FROM sqlite_schema`).Scan(&tables) // locks the file against writers
	head, err := inputfile.Open(f.Name, inputfile.Unlimited)
	if err != nil {
		return err
	}
	defer head.Close()
	var b [headerSize]byte
	if _, err := io.ReadFull(head, b[:]); err != nil {
		return err
	}
	info, err := head.Stat()
	if err != nil {
		return err
	}
	page := int64(binary.BigEndian.Uint16(b[16:]))
	if page == 1 {
		page = 1 << 16
	}
	if want := int64(binary.BigEndian.Uint32(b[28:])) * page; info.Size() < want {
		return fmt.Errorf("truncated: %d of %d bytes", info.Size(), want)
	}
	return damage
}

// checkTables returns an error if a table differs from the format. Thus, no view or trigger from
// elsewhere can replace a table.
func (f *File) checkTables() error {
	have := make(map[string]bool)
	if err := f.each(`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL`, nil, func(r *resultRow) {
		have[r.raw()] = true
	}); err != nil {
		return err
	}
	for _, s := range schemaOf(f.format) {
		if !have[s] {
			return fmt.Errorf("damaged: %q is missing", strings.Join(strings.Fields(s)[:3], " "))
		}
	}
	return nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.conn != nil {
		_ = f.conn.Raw(func(any) error {
			for _, s := range f.statements {
				if s != nil {
					_ = s.Close()
				}
			}
			return nil
		})
		_ = f.conn.Close()
	}
	return f.db.Close()
}

// resultRow is a row of a result. A missing value, or one of another type, is 0 or "".
type resultRow struct {
	values  []driver.Value
	at      int
	typeErr error // the first value with an unexpected type
}

func (r *resultRow) next() any {
	v := r.values[r.at]
	r.at++
	return v
}

func (r *resultRow) int() int64 {
	switch v := r.next().(type) {
	case int64:
		return v
	case nil:
		return 0
	default:
		r.fail(v)
		return 0
	}
}

// optionalInt returns an integer, and reports whether it is present.
func (r *resultRow) optionalInt() (int64, bool) {
	if r.values[r.at] == nil {
		r.at++
		return 0, false
	}
	return r.int(), true
}

// real returns a number, or NaN for NULL.
func (r *resultRow) real() float64 {
	switch v := r.next().(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	case nil:
		return nan
	default:
		r.fail(v)
		return nan
	}
}

// raw returns a text unchanged.
func (r *resultRow) raw() string {
	switch v := r.next().(type) {
	case string:
		return v
	case nil:
		return ""
	default:
		r.fail(v)
		return ""
	}
}

// text returns a text that is safe for a terminal.
func (r *resultRow) text() string { return safetext.Clean(r.raw()) }

func (r *resultRow) blob() []byte {
	switch v := r.next().(type) {
	case []byte:
		return v
	case nil:
		return nil
	default:
		r.fail(v)
		return nil
	}
}

func (r *resultRow) fail(v any) {
	if r.typeErr == nil {
		r.typeErr = fmt.Errorf("column %[2]d: unexpected type %[1]T", v, r.at)
	}
}

// cacheStatement caches a statement for the next use of the query.
func (f *File) cacheStatement(query string, s driver.Stmt) {
	if f.statements[query] != nil {
		_ = s.Close()
		return
	}
	f.statements[query] = s
}

// each calls do with every row of a query. A blob is valid only during the call. It uses the
// driver directly, which prepares a query only once, because a replay reads thousands of rows
// between two frames.
func (f *File) each(query string, args []any, do func(*resultRow)) error {
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return err
		}
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return f.conn.Raw(func(c any) error {
		s := f.statements[query]
		if s == nil {
			var err error
			s, err = c.(driver.ConnPrepareContext).PrepareContext(context.Background(), query)
			if err != nil {
				return err
			}
		}
		f.statements[query] = nil // in use: nested calls need their own
		defer func() { f.cacheStatement(query, s) }()
		rows, err := s.(driver.StmtQueryContext).QueryContext(context.Background(), named)
		if err != nil {
			return err
		}
		defer rows.Close()
		r := &resultRow{values: make([]driver.Value, len(rows.Columns()))}
		for {
			switch err := rows.Next(r.values); {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return err
			}
			r.at = 0
			if do(r); r.typeErr != nil {
				return r.typeErr
			}
		}
	})
}

// inTransaction runs the queries of do in one transaction, so that the file is locked once.
func (f *File) inTransaction(do func() error) error {
	none := func(*resultRow) {}
	if err := f.each(`BEGIN`, nil, none); err != nil {
		return err
	}
	return errors.Join(do(), f.each(`COMMIT`, nil, none))
}
