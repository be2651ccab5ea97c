package tuner

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
)

// journal stores the measurements of a tuning, one line per tuple, so that an interrupted tuning
// can continue. The last line may be incomplete. Any other invalid line is an error.
type journal struct {
	mu      sync.Mutex
	file    *os.File
	byTuple map[string]map[string]cluster.Time // by tuple and choice
}

// journalHead is the first line.
type journalHead struct {
	Schema string `json:"schema"`
	Of     string `json:"of"` // identity of the tuning
}

const journalSchema = "hybridtop.tuning.v1"

// record is any other line.
type record struct {
	Tuple string                  `json:"tuple"`
	Times map[string]cluster.Time `json:"times"` // ps, by choice
}

// identity returns a text that differs between tunings whose times must not be mixed.
func (o *Options) identity() string {
	return fmt.Sprintf("%s %s %016x seed %d", o.Fabric.Name(), o.Machine.Name, fingerprint(&o.Machine), o.Seed)
}

// maxJournal is the maximum size of a journal in bytes.
const maxJournal = 256 << 20

// openJournal reads and continues a journal, or creates it.
func openJournal(name, of string) (*journal, error) {
	j := &journal{byTuple: map[string]map[string]cluster.Time{}}
	file, err := atomicfile.Open(name)
	if err != nil {
		return nil, err
	}
	end, err := j.read(file, of)
	if err == nil {
		err = file.Truncate(end)
	}
	if err == nil {
		_, err = file.Seek(end, io.SeekStart)
	}
	if err == nil && end == 0 {
		err = json.NewEncoder(file).Encode(journalHead{Schema: journalSchema, Of: of})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, errors.Join(err, file.Close()))
	}
	j.file = file
	return j, nil
}

// read reads all complete lines and returns the offset of their end.
func (j *journal) read(file *os.File, of string) (end int64, err error) {
	info, err := file.Stat()
	switch {
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, errors.New("not a regular file")
	case info.Size() > maxJournal:
		return 0, fmt.Errorf("file larger than %s", cluster.SizeText(maxJournal))
	}
	lines := bufio.NewReader(file)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return end, nil
		}
		if err != nil {
			return 0, err
		}
		if n == 1 {
			var h journalHead
			if err := decodeStrictly(line, &h); err != nil || h.Schema != journalSchema {
				return 0, errors.New("line 1: not a tuning journal (remove the file or name another)")
			}
			if h.Of != of {
				return 0, fmt.Errorf("journal of another tuning: got %s, want %s (remove it or name another file)", h.Of, of)
			}
		} else {
			var r record
			if err := decodeStrictly(line, &r); err != nil {
				return 0, fmt.Errorf("line %d: %w", n, err)
			}
			j.keep(r)
		}
		end += int64(len(line))
	}
}

// decodeStrictly decodes exactly one JSON value, without unknown fields.
func decodeStrictly(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one JSON value")
	}
	return nil
}

func (j *journal) keep(r record) {
	if j.byTuple[r.Tuple] == nil {
		j.byTuple[r.Tuple] = map[string]cluster.Time{}
	}
	for c, t := range r.Times {
		j.byTuple[r.Tuple][c] = t
	}
}

// times returns the recorded times of a tuple. It reports false if one is missing.
func (j *journal) times(at coll.Tuple, choices []coll.Choice) ([]cluster.Time, bool) {
	if j == nil {
		return nil, false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	recorded := j.byTuple[at.String()]
	times := make([]cluster.Time, len(choices))
	for i, c := range choices {
		t, ok := recorded[c.String()]
		if !ok || t <= 0 {
			return nil, false
		}
		times[i] = t
	}
	return times, true
}

// add writes a record to the file before it returns.
func (j *journal) add(at coll.Tuple, choices []coll.Choice, times []cluster.Time) error {
	if j == nil {
		return nil
	}
	r := record{Tuple: at.String(), Times: map[string]cluster.Time{}}
	for i, c := range choices {
		r.Times[c.String()] = times[i]
	}
	var line strings.Builder
	if err := json.NewEncoder(&line).Encode(r); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.keep(r)
	_, err := io.WriteString(j.file, line.String())
	return err
}

func (j *journal) close() error { return j.file.Close() }

// RemoveJournal removes the journal of a finished tuning.
func RemoveJournal(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// fingerprint returns the FNV-1a hash of a machine without its sources.
func fingerprint(m *cluster.Machine) uint64 {
	plain := *m
	plain.Source = nil
	if m.ClockTime != nil {
		plain.PollTime += *m.ClockTime << 20 // include the value instead of the pointer
		plain.ClockTime = nil
	}
	h := uint64(14695981039346656037)
	for _, b := range []byte(fmt.Sprintf("%#v", plain)) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}
