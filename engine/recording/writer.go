package recording

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"modernc.org/sqlite" // a driver that needs no C compiler

	"github.com/hybridtop/hybridtop/internal/atomicfile"
)

// Intervals of the writer. It commits events every commitEvery. It closes a block of snapshots if the
// oldest one would be older than maxAge at the end of the next commit. A host that is busy with other
// work, or a slow disk, therefore makes blocks shorter, and less than a second is lost.
const (
	commitEvery = 250 * time.Millisecond
	maxAge      = 700 * time.Millisecond
	maxBusyWait = 10 * time.Second // maximum wait for another writer of the file
)

// Writer writes runs into a file.
type Writer struct {
	name       string
	db         *sql.DB
	pack       *packer
	took       time.Duration // time of the last transaction, from the tick on
	failed     chan struct{}
	over       chan struct{} // closed to end the writer
	done       chan struct{}
	statements map[string]*sql.Stmt // prepared in earlier transactions; used only by the loop

	mu   sync.Mutex // guards the fields below
	runs []*Run
	err  error // the first
}

// connect opens a file as a database with a single connection.
func connect(name, query string) (*sql.DB, error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	full = filepath.ToSlash(full)
	if runtime.GOOS == "windows" {
		full = "/" + full
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: full}).EscapedPath()+"?"+query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// Create creates a file, or opens a recording to append runs.
func Create(name string) (*Writer, error) {
	if err := errors.Join(atomicfile.CheckTarget(name), checkCompanions(name)); err != nil {
		return nil, err
	}
	switch info, err := os.Stat(name); {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Size() > 0:
		f, err := Open(name)
		if err != nil {
			return nil, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
		if f.format != version {
			return nil, fmt.Errorf("%s: cannot add a run to a recording of format %d: this program writes format %d (use "+
				"another file)", name, f.format, version)
		}
	}
	db, err := connect(name,
		fmt.Sprintf("mode=rwc&_txlock=immediate&_pragma=busy_timeout(%d)&_pragma=journal_mode(TRUNCATE)&_pragma=synchronous(NORMAL)", maxBusyWait.Milliseconds()))
	if err != nil {
		return nil, err
	}
	w := &Writer{name: name, db: db, pack: newPacker(), failed: make(chan struct{}), over: make(chan struct{}),
		done: make(chan struct{})}
	if err := w.transaction(create); err != nil {
		_ = db.Close()
		return nil, err
	}
	go w.loop()
	return w, nil
}

// create creates the tables of an empty file. Another writer may have created them in the
// meantime.
func create(tx *sql.Tx) error {
	var tables int
	if err := tx.QueryRow(`SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return err
	}
	if tables > 0 {
		_, err := tx.Exec(`UPDATE meta SET value=value`) // fails if the file is not writable
		return err
	}
	for _, s := range schema {
		if _, err := tx.Exec(s); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(fmt.Sprintf(`PRAGMA application_id=%d; PRAGMA user_version=%d`, applicationID, version)); err !=
		nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO meta VALUES ('format', 'a recording of hybridtop: docs/recordings.md')`)
	return err
}

// transaction runs one short transaction, and adds the file name to an error.
func (w *Writer) transaction(do func(*sql.Tx) error) error {
	tx, err := w.db.BeginTx(context.Background(), nil)
	if err == nil {
		err = do(tx)
		if err != nil {
			_ = tx.Rollback()
		} else {
			err = tx.Commit()
		}
	}
	if err != nil {
		return explainWrite(w.name, err)
	}
	return nil
}

// explainWrite returns an error that explains why a file cannot be written.
func explainWrite(name string, err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case 8: // SQLITE_READONLY
			return fmt.Errorf("%s is not writable: %w", name, err)
		case 13: // SQLITE_FULL
			return fmt.Errorf("%s cannot grow (earlier data is kept): %w", name, err)
		case 14: // SQLITE_CANTOPEN
			return fmt.Errorf("%s cannot be created (its folder is missing or not writable): %w", name, err)
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// loop commits the events of the runs until the writer is closed or fails.
func (w *Writer) loop() {
	defer close(w.done)
	ticker := time.NewTicker(commitEvery)
	defer ticker.Stop()
	for over := false; !over; {
		began := time.Now()
		select {
		case tick := <-ticker.C:
			began = tick
		case <-w.over:
			over = true
		}
		err := w.commit(over)
		w.took = time.Since(began)
		if err != nil {
			w.mu.Lock()
			w.err = err
			for _, r := range w.runs {
				r.stop()
			}
			w.mu.Unlock()
			close(w.failed)
			return
		}
	}
}

// commit writes the events of the runs; over means that nothing follows.
func (w *Writer) commit(over bool) error {
	w.mu.Lock()
	runs := w.runs
	w.runs = nil
	w.mu.Unlock()
	var pending []*Run
	for _, r := range runs {
		r.frames.took = w.took
		if r.take() || over {
			pending = append(pending, r)
		}
	}
	var err error
	b := batch{prepared: w.statements, pack: w.pack}
	if len(pending) > 0 {
		err = w.transaction(func(tx *sql.Tx) error {
			b.tx = tx
			for _, r := range pending {
				if err := r.write(&b, over); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			err = w.cacheStatements(b.made)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range runs {
		if !r.finished || err != nil {
			w.runs = append(w.runs, r)
		} else {
			close(r.done)
		}
	}
	return err
}

// cacheStatements prepares the new statements of a transaction for later ones.
func (w *Writer) cacheStatements(made map[string]*sql.Stmt) error {
	for query := range made {
		if w.statements[query] != nil {
			continue
		}
		s, err := w.db.Prepare(query)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		if w.statements == nil {
			w.statements = make(map[string]*sql.Stmt)
		}
		w.statements[query] = s
	}
	return nil
}

// Failed returns a channel that is closed when writing has become impossible. Close returns the
// reason.
func (w *Writer) Failed() <-chan struct{} { return w.failed }

// Close writes the remaining events and returns the first error.
func (w *Writer) Close() error {
	close(w.over)
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		_, _ = w.db.Exec(`PRAGMA journal_mode=DELETE`) // removes the empty journal, unless another writer needs it
	}
	if err := w.db.Close(); err != nil && w.err == nil {
		w.err = fmt.Errorf("%s: %w", w.name, err)
	}
	return w.err
}

// batch is one transaction. Each statement is prepared once, at its first use.
type batch struct {
	tx       *sql.Tx
	pack     *packer
	prepared map[string]*sql.Stmt // of the database
	made     map[string]*sql.Stmt // of the transaction
}

func (b *batch) exec(query string, args ...any) (sql.Result, error) {
	s := b.made[query]
	if s == nil {
		var err error
		s, err = b.prepare(query)
		if err != nil {
			return nil, err
		}
		if b.made == nil {
			b.made = make(map[string]*sql.Stmt)
		}
		b.made[query] = s
	}
	return s.Exec(args...)
}

// prepare returns a statement of the transaction, from a statement of the database if it has one.
func (b *batch) prepare(query string) (*sql.Stmt, error) {
	if s := b.prepared[query]; s != nil {
		return b.tx.Stmt(s), nil
	}
	return b.tx.Prepare(query)
}

// insert returns the number of the new row.
func (b *batch) insert(query string, args ...any) (int64, error) {
	r, err := b.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}
