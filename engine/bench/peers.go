package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hybridtop/hybridtop/engine"
)

// Peer is what another library gets for the same path on the same host.
type Peer struct {
	Name  string      `json:"name"` // "Open MPI"
	Value float64     `json:"value"`
	Unit  string      `json:"unit"`
	Kind  engine.Kind `json:"kind"`
	Line  string      `json:"line"` // the program's name for the figure
	// Limit is what the same process reached without the library, in Unit, and
	// Ratio is Value / Limit; 0: the program prints none.
	Limit float64 `json:"limit,omitempty"`
	Ratio float64 `json:"ratio,omitempty"`
}

// PeerRuns are the figures of the programs that were found, and what could not
// be run.
type PeerRuns struct {
	figures map[string][]Peer   // by the program's name for the figure
	skipped map[string][]string // by what the programs measure
}

// peerRows says what belongs beside each row: which programs measure it, their
// name for the figure and for its limit.
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

// flagOneWay is a flag in shared memory, one way: near or far cores show in it.
const flagOneWay = "winshared_flag_oneway"

// peerPrograms are the programs that a folder may hold and how they are started:
// two ranks bound to cores and spinning, 64 ranks yielding; two ranks of one and
// two threads wherever the system puts them, because bound ones would share their
// rank's core, yielding. MPICH has no way to yield; its 64 ranks on a few cores do
// not end in peerTime.
var peerPrograms = []struct {
	name, by, file, launcher string
	args, tail               []string
}{
	{"Open MPI", "p2p", "p2p.openmpi", "mpirun.openmpi", []string{"-n", "2", "--bind-to", "core"}, nil},
	{"MPICH", "p2p", "p2p.mpich", "mpirun.mpich", []string{"-n", "2", "-bind-to", "core"}, nil},
	{"Open MPI", "coll", "coll.openmpi", "mpirun.openmpi", []string{"--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--bind-to", "none", "-n", "64"}, []string{"0.15"}},
	{"Open MPI", "mt", "mt.openmpi", "mpirun.openmpi", []string{"--mca", "mpi_yield_when_idle", "1", "--bind-to", "none", "-n", "2"}, nil},
	{"MPICH", "mt", "mt.mpich", "mpirun.mpich", []string{"-bind-to", "none", "-n", "2"}, nil},
}

// peerTime is how long a program may take.
const peerTime = time.Minute

// runPeers runs the compiled MPI programs in a folder that measure what is named:
// p2p.openmpi, p2p.mpich, coll.openmpi, mt.openmpi, mt.mpich, each of which prints
// lines of name, value and unit. What is missing or fails is skipped, with the
// reason.
func runPeers(ctx context.Context, folder string, by ...string) *PeerRuns {
	runs := &PeerRuns{figures: map[string][]Peer{}, skipped: map[string][]string{}}
	for _, p := range peerPrograms {
		if !slices.Contains(by, p.by) {
			continue
		}
		if err := runs.run(ctx, p.name, p.launcher, filepath.Join(folder, p.file), p.args, p.tail); err != nil {
			runs.skipped[p.by] = append(runs.skipped[p.by], fmt.Sprintf("%s skipped: %v", p.file, err))
		}
	}
	return runs
}

func (p *PeerRuns) run(ctx context.Context, name, launcher, program string, args, tail []string) error {
	if _, err := os.Stat(program); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, peerTime)
	defer cancel()
	argv := append(append(append([]string{}, args...), program), tail...)
	cmd := exec.CommandContext(ctx, launcher, argv...)
	cmd.WaitDelay = time.Second
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	p.read(name, out) // also what came before a failure
	if err != nil {
		return fmt.Errorf("%w: %s", err, firstWords(complaint.String()))
	}
	return nil
}

// firstWords is the first line of a complaint that says something; launchers
// draw rules around theirs.
func firstWords(complaint string) string {
	for line := range strings.Lines(complaint) {
		if strings.ContainsFunc(line, unicode.IsLetter) {
			return strings.TrimSpace(line)
		}
	}
	return "it says nothing"
}

// siUnits are the units that the programs print, in SI base units.
var siUnits = map[string]struct {
	unit  string
	scale float64
}{
	"ns": {seconds, 1e-9}, "us": {seconds, 1e-6}, "ms": {seconds, 1e-3}, "s": {seconds, 1},
	"GB/s": {bytesRate, 1e9}, "MB/s": {bytesRate, 1e6},
	"Mmsg/s": {perSecond, 1e6}, "Mop/s": {perSecond, 1e6},
}

func (p *PeerRuns) read(name string, out []byte) {
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) != 3 {
			continue
		}
		si, known := siUnits[f[2]]
		v, err := strconv.ParseFloat(f[1], 64)
		if !known || err != nil {
			continue
		}
		p.figures[f[0]] = append(p.figures[f[0]], Peer{Name: name, Value: v * si.scale, Unit: si.unit, Kind: engine.Measured, Line: f[0]})
	}
}

// beside puts the figures beside the rows, and what was skipped of those that
// would have had more.
func (p *PeerRuns) beside(rows []Row) {
	for i := range rows {
		r := &rows[i]
		want, ok := peerRows[r.Name]
		if !ok {
			continue
		}
		for _, peer := range p.figures[want.line] {
			peer.in(r.Unit)
			for _, limit := range p.figures[want.limit] {
				if limit.Name == peer.Name {
					limit.in(r.Unit)
					peer.Limit, peer.Ratio = limit.Value, peer.Value/limit.Value
				}
			}
			r.Peers = append(r.Peers, peer)
		}
		r.PeersSkipped = p.skipped[want.by]
	}
}

// in turns operations a second into seconds an operation, and back.
func (p *Peer) in(unit string) {
	if p.Unit != unit && p.Value > 0 {
		p.Value, p.Unit = 1/p.Value, unit
	}
}
