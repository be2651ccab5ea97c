package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/engine"
)

// Peer is what another library gets for the same path on the same host.
type Peer struct {
	Name  string      `json:"name"` // "Open MPI"
	Value float64     `json:"value"`
	Unit  string      `json:"unit"`
	Kind  engine.Kind `json:"kind"`
	Line  string      `json:"line"` // the program's name for the figure
}

// PeerRuns are the figures of the programs that were found, and what could not
// be run.
type PeerRuns struct {
	figures map[string][]Peer // by the program's name for the figure
	Skipped []string
}

// peerRows names the figure that belongs beside each row.
var peerRows = map[string]string{
	"pingpong8":  "lat_8B",
	"msgrate8":   "msgrate_8B_w64",
	"send4KiB":   "lat_4K",
	"send1MiB":   "bw_1M",
	"put1MiB":    "winshared_put1M_flush",
	"put_flush8": "winshared_put8_flush",
	"fetchadd8":  "winshared_fetch_and_op",
	"barrier64":  "np64_barrier",
}

// peerPrograms are the programs that a folder may hold and how they are started:
// two ranks bound to cores and spinning, 64 ranks yielding.
var peerPrograms = []struct {
	name, file, launcher string
	args, tail           []string
}{
	{"Open MPI", "p2p.openmpi", "mpirun.openmpi", []string{"-n", "2", "--bind-to", "core"}, nil},
	{"MPICH", "p2p.mpich", "mpirun.mpich", []string{"-n", "2", "-bind-to", "core"}, nil},
	{"Open MPI", "coll.openmpi", "mpirun.openmpi", []string{"--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--bind-to", "none", "-n", "64"}, []string{"0.15"}},
}

// peerTime is how long a program may take.
const peerTime = time.Minute

// RunPeers runs the compiled MPI programs in a folder: p2p.openmpi, p2p.mpich and
// coll.openmpi, each of which prints lines of name, value and unit. What is
// missing or fails is skipped, with the reason.
func RunPeers(ctx context.Context, folder string) *PeerRuns {
	runs := &PeerRuns{figures: map[string][]Peer{}}
	for _, p := range peerPrograms {
		if err := runs.run(ctx, p.name, p.launcher, filepath.Join(folder, p.file), p.args, p.tail); err != nil {
			runs.Skipped = append(runs.Skipped, fmt.Sprintf("%s skipped: %v", p.file, err))
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
		first, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return fmt.Errorf("%w %s", err, first)
	}
	return nil
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

// beside puts the figures beside the rows; what was skipped goes into the notes
// of the rows that would have had them.
func (p *PeerRuns) beside(rows []Row) {
	for i := range rows {
		r := &rows[i]
		line, ok := peerRows[r.Name]
		if !ok {
			continue
		}
		for _, peer := range p.figures[line] {
			if peer.Unit != r.Unit && peer.Value > 0 { // operations a second against seconds an operation
				peer.Value, peer.Unit = 1/peer.Value, r.Unit
			}
			r.Peers = append(r.Peers, peer)
		}
		if len(r.Peers) == 0 && len(p.Skipped) > 0 {
			r.Note += "; " + strings.Join(p.Skipped, ", ")
		}
	}
}
