package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/inputfile"
)

// Peer is the result of another library for the same path on the same host.
type Peer struct {
	Name  string      `json:"name"` // "Open MPI"
	Value float64     `json:"value"`
	Unit  string      `json:"unit"`
	Kind  engine.Kind `json:"kind"`
	Line  string      `json:"line"` // the program's name of the value
	// Limit is the value that the same process reached without the library, in Unit. Ratio is Value
	// / Limit. 0: the program prints no limit.
	Limit float64 `json:"limit,omitempty"`
	Ratio float64 `json:"ratio,omitempty"`
}

// PeerRuns holds the values of the programs that were found, and the programs that could not be
// run.
type PeerRuns struct {
	figures map[string][]Peer   // by the program's name of the value
	skipped map[string][]string // by kind of program (peerRows.by)
}

// peerRows lists, for each row, the programs that measure it, and their names of the value and of
// its limit.
var peerRows = map[string]struct{ by, line, limit string }{
	"pingpong8":  {"p2p", "lat_8B", flagOneWay},
	"msgrate8":   {"p2p", "msgrate_8B_w64", flagOneWay},
	"send4KiB":   {"p2p", "lat_4K", flagOneWay},
	"send1MiB":   {"p2p", "bw_1M", "winshared_memcpy1M_direct"},
	"put1MiB":    {"p2p", "winshared_put1M_flush", "winshared_memcpy1M_direct"},
	"put_flush8": {"p2p", "winshared_put8_flush", ""},
	"fetchadd8":  {"p2p", "winshared_fetch_and_op", ""},
	"barrier64":  {"coll", "np64_barrier", ""},

	"mt1_lat_8B":         {"mt", "mt1_lat_8B", ""},
	"mt1_msgrate_8B_w64": {"mt", "mt1_msgrate_8B_w64", ""},
	"mt2_lat_8B":         {"mt", "mt2_lat_8B", "mt1_lat_8B"},
	"mt2_msgrate_8B_w64": {"mt", "mt2_msgrate_8B_w64", "mt1_msgrate_8B_w64"},
}

// flagOneWay is a flag in shared memory, one way. It shows the distance of the cores.
const flagOneWay = "winshared_flag_oneway"

// peerProgram is a program that a folder can contain, and the way to start it.
type peerProgram struct {
	name, by, file, launcher string
	args, tail               []string
}

// peerPrograms are the programs that a folder can contain, and how they are started. Two ranks are
// bound to cores and spin; 64 ranks yield. Two ranks with one and two threads are placed by the
// system and yield, because bound threads would share their rank's core. MPICH cannot yield; its 64
// ranks on a few cores do not end in peerTime.
var peerPrograms = []peerProgram{
	{"Open MPI", "p2p", "p2p.openmpi", "mpirun.openmpi", []string{"-n", "2", "--bind-to", "core"}, nil},
	{"MPICH", "p2p", "p2p.mpich", "mpirun.mpich", []string{"-n", "2", "-bind-to", "core"}, nil},
	{"Open MPI", "coll", "coll.openmpi", "mpirun.openmpi",
		[]string{"--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--bind-to", "none", "-n", "64"}, []string{"0.15"}},
	{"Open MPI", "collectives", "coll.openmpi", "mpirun.openmpi", []string{"--bind-to", "core", "-n", "2"},
		[]string{"0.15"}},
	{"Open MPI", "collectives", "coll.openmpi", "mpirun.openmpi",
		[]string{"--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--bind-to", "none", "-n", "8"}, []string{"0.15"}},
	{"Open MPI", "collectives", "coll.openmpi", "mpirun.openmpi",
		[]string{"--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--bind-to", "none", "-n", "64"}, []string{"0.15"}},
	{"Open MPI", "mt", "mt.openmpi", "mpirun.openmpi",
		[]string{"--mca", "mpi_yield_when_idle", "1", "--bind-to", "none", "-n", "2"}, nil},
	{"MPICH", "mt", "mt.mpich", "mpirun.mpich", []string{"-bind-to", "none", "-n", "2"}, nil},
}

// Limits of a program.
const (
	peerTime   = time.Minute
	peerOutput = 1 << 20 // bytes per output stream
)

// runPeers runs the compiled MPI programs in a folder that measure the named kinds: p2p.openmpi,
// p2p.mpich, coll.openmpi, mt.openmpi, mt.mpich. Each prints lines of name, value and unit. Missing
// or failed programs are skipped, with the reason.
func runPeers(ctx context.Context, folder string, by ...string) *PeerRuns {
	return runPeersFor(ctx, peerTime, folder, by...)
}

func runPeersFor(ctx context.Context, limit time.Duration, folder string, by ...string) *PeerRuns {
	runs := &PeerRuns{figures: map[string][]Peer{}, skipped: map[string][]string{}}
	for _, p := range peerPrograms {
		if !slices.Contains(by, p.by) {
			continue
		}
		skip := func(format string, args ...any) {
			runs.skipped[p.by] = append(runs.skipped[p.by], p.file+" "+fmt.Sprintf(format, args...))
		}
		out, err := p.run(ctx, folder, limit)
		for _, wrong := range runs.read(p.name, out) { // also the output before a failure
			skip("printed an invalid value in %s", wrong)
		}
		if err != nil {
			skip("skipped: %v", err)
		}
	}
	return runs
}

// run runs the program of a folder by its launcher and returns its output.
func (p *peerProgram) run(ctx context.Context, folder string, limit time.Duration) ([]byte, error) {
	program, err := filepath.Abs(filepath.Join(folder, p.file)) // so that launchers do not parse it as an option
	if err != nil {
		return nil, err
	}
	file, err := inputfile.Open(program, inputfile.Unlimited)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	late := fmt.Errorf("did not end in %v", limit)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, done := context.WithTimeoutCause(ctx, limit, late)
	defer done()
	cmd := exec.CommandContext(ctx, p.launcher, slices.Concat(p.args, []string{descriptor(file, program)}, p.tail)...)
	// The launcher and all its children are one process group, and end together.
	startOwnGroup(cmd)
	out := cappedBuffer{over: func() { stop(fmt.Errorf("printed more than %s", cluster.SizeText(peerOutput))) }}
	complaint := cappedBuffer{over: func() {}}
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err = cmd.Run()
	if err != nil || ctx.Err() != nil {
		killGroup(cmd)
	}
	switch {
	case ctx.Err() != nil:
		return out.kept, context.Cause(ctx)
	case err != nil:
		return out.kept, fmt.Errorf("%w: %s", err, firstWords(string(complaint.kept)))
	}
	return out.kept, nil
}

// descriptor returns a path to the opened file, if the system has a path that other processes can
// follow. Another file that gets the same name is then not run.
func descriptor(f *os.File, path string) string {
	by := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd())
	opened, err := f.Stat()
	if err != nil {
		return path
	}
	if seen, err := os.Stat(by); err != nil || !os.SameFile(opened, seen) {
		return path
	}
	return by
}

// cappedBuffer keeps the first bytes written to it, and calls over if there are more.
type cappedBuffer struct {
	kept []byte
	over func()
}

func (c *cappedBuffer) Write(b []byte) (int, error) {
	space := peerOutput - len(c.kept)
	c.kept = append(c.kept, b[:min(space, len(b))]...)
	if len(b) > space {
		c.over()
	}
	return len(b), nil
}

// longestComplaint is the maximum length of a shown error message of a program, in runes.
const longestComplaint = 200

// firstWords returns the first line of an error message that has letters. Launchers print rules
// around theirs.
func firstWords(complaint string) string {
	for line := range strings.Lines(complaint) {
		if strings.ContainsFunc(line, unicode.IsLetter) {
			return printable(strings.TrimSpace(line))
		}
	}
	return "no message"
}

// printable returns foreign text without control characters.
func printable(text string) string {
	var clean []rune
	for _, r := range strings.ToValidUTF8(text, "?") {
		if !unicode.IsPrint(r) {
			r = ' '
		}
		clean = append(clean, r)
		if len(clean) == longestComplaint {
			return string(clean) + "…"
		}
	}
	return string(clean)
}

// siUnits converts the units of the programs to SI base units.
var siUnits = map[string]struct {
	unit  string
	scale float64
}{
	"ns": {seconds, 1e-9}, "us": {seconds, 1e-6}, "ms": {seconds, 1e-3}, "s": {seconds, 1},
	"GB/s": {bytesRate, 1e9}, "MB/s": {bytesRate, 1e6},
	"Mmsg/s": {perSecond, 1e6}, "Mop/s": {perSecond, 1e6},
}

// Valid values on any host are within these limits, in SI base units.
const (
	minFigure = 1e-18
	maxFigure = 1e18
)

// read parses the values in the output of a program, and returns descriptions of lines with invalid
// values.
func (p *PeerRuns) read(name string, out []byte) (wrong []string) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, peerOutput+1)
	for n := 1; lines.Scan(); n++ {
		f := strings.Fields(lines.Text())
		if len(f) != 3 {
			continue
		}
		si, isUnit := siUnits[f[2]]
		v, err := strconv.ParseFloat(f[1], 64)
		if !isUnit || err != nil && !errors.Is(err, strconv.ErrRange) {
			continue
		}
		v *= si.scale
		if !(v >= minFigure && v <= maxFigure) { // also excludes NaN
			wrong = append(wrong, fmt.Sprintf("line %d: %q", n, printable(strings.Join(f, " "))))
			continue
		}
		p.figures[f[0]] = append(p.figures[f[0]],
			Peer{Name: name, Value: v, Unit: si.unit, Kind: engine.Measured, Line: f[0]})
	}
	return wrong
}

// addTo adds the values to the rows, and the skipped programs to the rows that they measure.
func (p *PeerRuns) addTo(rows []Row) {
	for i := range rows {
		r := &rows[i]
		want, ok := peerRows[r.Name]
		if line := collectiveLine(r.Name); line != "" {
			want.by = "collectives"
			want.line = line
			ok = true
		}
		if !ok {
			continue
		}
		for _, peer := range p.figures[want.line] {
			peer.convertTo(r.Unit)
			for _, limit := range p.figures[want.limit] {
				if limit.Name == peer.Name {
					limit.convertTo(r.Unit)
					peer.Limit, peer.Ratio = limit.Value, peer.Value/limit.Value
				}
			}
			r.Peers = append(r.Peers, peer)
		}
		r.PeersSkipped = p.skipped[want.by]
	}
}

// convertTo converts operations per second to seconds per operation, and back.
func (p *Peer) convertTo(unit string) {
	if p.Unit != unit && p.Value > 0 {
		p.Value, p.Unit = 1/p.Value, unit
	}
}
