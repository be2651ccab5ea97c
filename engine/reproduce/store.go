package reproduce

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/internal/inputfile"
	"github.com/hybridtop/hybridtop/presets"
)

// Store is a folder of finished points, one file per point. A program does not use the points of
// another program.
type Store struct {
	folder  string
	program [sha256.Size]byte
	err     error // the first error of saving a point
}

// NewStore opens the store of a folder for the executable file program. It creates the folder with
// the first finished point.
func NewStore(folder, program string) (*Store, error) {
	data, err := inputfile.Read(program, inputfile.Unlimited)
	if err != nil {
		return nil, err
	}
	return &Store{folder: folder, program: sha256.Sum256(data)}, nil
}

// Clear removes the points of all programs.
func (s *Store) Clear() error {
	files, err := filepath.Glob(filepath.Join(s.folder, "*"+pointSuffix))
	for _, f := range files {
		err = errors.Join(err, os.Remove(f))
	}
	return err
}

// pointSuffix is the suffix of a point's file name.
const pointSuffix = ".point"

// file returns the file name of a scenario's point on a machine.
func (s *Store) file(sc *engine.Scenario, m *cluster.Machine) (string, error) {
	var text strings.Builder
	text.Write(s.program[:])
	key, err := sc.MarshalJSON()
	if err != nil {
		return "", err
	}
	text.Write(key)
	for _, f := range presets.Facts(m) {
		text.WriteString(factLine(&f))
	}
	sum := sha256.Sum256([]byte(text.String()))
	return filepath.Join(s.folder, hex.EncodeToString(sum[:16])+pointSuffix), nil
}

// maxPoint is the maximum size of a point's file, in bytes.
const maxPoint = 256 << 20

// load returns a stored point, or nil if the file is missing or invalid.
func (s *Store) load(file string) (*engine.Snapshot, error) {
	data, err := inputfile.Read(file, maxPoint)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sum, data, ok := cutSum(data)
	if !ok || sum != sha256.Sum256(data) {
		return nil, nil // damaged: run it again
	}
	snap, err := new(engine.Decoder).Decode(data)
	if err != nil {
		return nil, nil // of another version
	}
	return snap, nil
}

// cutSum returns the checksum at the begin of a point's file, and the rest.
func cutSum(data []byte) (sum [sha256.Size]byte, rest []byte, ok bool) {
	if len(data) < len(sum) {
		return sum, nil, false
	}
	copy(sum[:], data)
	return sum, data[len(sum):], true
}

// save stores a point after its checksum.
func (s *Store) save(ctx context.Context, file string, snap *engine.Snapshot) error {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return err
	}
	data := new(engine.Encoder).Append(make([]byte, sha256.Size), snap)
	sum := sha256.Sum256(data[sha256.Size:])
	copy(data, sum[:])
	return atomicfile.Write(ctx, file, data)
}

// run runs the rows that are not in the store, and saves each as soon as it is finished. A nil
// Store saves nothing.
func (s *Store) run(ctx context.Context, rows []session.Row, scenarios []engine.Scenario, options session.Options,
	progress func(*session.Progress)) ([]session.Row, error) {
	options.Fabrics = session.Fabrics()
	options.Limits = session.Limits{Iterations: 1}
	options.Whole = true
	machines := options.Machines
	if s == nil {
		return session.RunRows(ctx, rows, scenarios, options, progress)
	}
	files := make([]string, len(rows))
	var open []int // rows to run
	for i := range rows {
		m, err := machineOf(&scenarios[i], machines)
		if err != nil {
			return nil, err
		}
		files[i], err = s.file(&scenarios[i], &m)
		if err != nil {
			return nil, err
		}
		rows[i].Snapshot, err = s.load(files[i])
		if err != nil {
			return nil, err
		}
		if rows[i].Snapshot == nil {
			open = append(open, i)
		}
	}
	var openRows []session.Row
	var openScenarios []engine.Scenario
	for _, i := range open {
		openRows, openScenarios = append(openRows, rows[i]), append(openScenarios, scenarios[i])
	}
	saved := make([]bool, len(openRows))
	save := func() {
		if ctx.Err() != nil {
			return // a point that ended since may have been interrupted
		}
		for k := range openRows {
			if snap := openRows[k].Snapshot; snap != nil && !saved[k] && snap.Failure == "" {
				saved[k] = true
				if err := s.save(ctx, files[open[k]], snap); err != nil && s.err == nil {
					s.err = err
				}
			}
		}
	}
	_, err := session.RunRows(ctx, openRows, openScenarios, options, func(p *session.Progress) {
		save()
		if progress != nil {
			p.Done, p.Total = p.Done+len(rows)-len(open), len(rows)
			progress(p)
		}
	})
	save()
	err = errors.Join(err, s.err)
	if err != nil {
		return nil, err
	}
	for k, i := range open {
		rows[i].Snapshot = openRows[k].Snapshot
	}
	return rows, nil
}

// machineOf returns the machine that a scenario names.
func machineOf(sc *engine.Scenario, machines []cluster.Machine) (cluster.Machine, error) {
	name := sc.Text("machine")
	for i := range machines {
		if machines[i].Name == name {
			return machines[i], nil
		}
	}
	return presets.Machine(name)
}
