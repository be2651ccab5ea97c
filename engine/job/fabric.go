package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
)

// Fabric runs scenarios in jobs. It is a session.Relay.
type Fabric struct {
	*live.Fabric
	launcher launcher
	program  string
	address  string // of the front's TCP socket; "": a Unix socket
	apart    bool   // processes do not share segments
	table    string // file of the table for algorithm = tuned; "": none
}

// New returns a fabric with a launcher: a program with its arguments, such as "mpirun -n 4". Quotes and backslashes
// protect spaces, as in a shell.
func New(text string) (*Fabric, error) {
	f := &Fabric{Fabric: live.New()}
	var err error
	if f.launcher, err = parseLauncher(text); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(f.launcher.words[0]); err != nil {
		return nil, fmt.Errorf("launcher: %w (hybridtop doctor lists the launchers of this host)", err)
	}
	f.program, err = Program()
	return f, err
}

// Listen makes process 0 of each job connect to a TCP address of this host, such as "10.0.0.1:0", instead of a Unix
// socket. Port 0 is a free port. The address must be one that the host of process 0 reaches.
func (f *Fabric) Listen(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("front: %w (want HOST:PORT, such as 10.0.0.1:0)", err)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return fmt.Errorf("front %s: port %q: want 0 to 65535 (0: a free port)", address, port)
	}
	addresses, err := net.LookupIP(host)
	if host == "" || err == nil && addresses[0].IsUnspecified() {
		return fmt.Errorf("front %s: want one address of this host, because process 0 connects to it", address)
	}
	if err != nil {
		return fmt.Errorf("front: %w", err)
	}
	f.address = net.JoinHostPort(addresses[0].String(), strconv.FormatUint(number, 10))
	return nil
}

// UseTable passes a table for algorithm = tuned to the processes of each job. They must be able to read the file.
func (f *Fabric) UseTable(file string) error {
	var err error
	f.table, err = filepath.Abs(file)
	return err
}

// KeepApart stops the processes of a job on one host from sharing segments.
func (f *Fabric) KeepApart() { f.apart = true }

// JobSize implements session.Relay.
func (f *Fabric) JobSize() int { return f.launcher.processes }

// Name implements cluster.Fabric.
func (*Fabric) Name() string { return engine.MPI }

// Start implements cluster.Fabric. It returns an error, because only a session can run a job.
func (*Fabric) Start(context.Context, cluster.Spec, func(cluster.Port) error) (cluster.Run, error) {
	return nil, errors.New("fabric mpi: its ranks run in other processes (use fabric = live)")
}

// Relay implements session.Relay.
func (f *Fabric) Relay(sc *engine.Scenario, l session.Limits, paused bool) (session.Relayed, error) {
	processes, _ := strconv.Atoi(sc.Values[engine.Processes])
	return launch(append(f.launcher.line(cmp.Or(processes, f.launcher.processes)), f.line(sc, l)...), paused, f.address)
}

// line returns the command line of the job's processes.
func (f *Fabric) line(sc *engine.Scenario, l session.Limits) []string {
	line := []string{f.program, "run", sc.Workload}
	if l.For > 0 {
		line = append(line, "--for="+l.For.String())
	}
	if l.Iterations > 0 {
		line = append(line, "--iterations="+strconv.Itoa(l.Iterations))
	}
	if l.Until > 0 {
		line = append(line, "--until="+(time.Duration(l.Until/cluster.Nanosecond)).String())
	}
	if f.apart {
		line = append(line, "--apart")
	}
	if f.table != "" {
		line = append(line, "--table="+f.table)
	}
	var usual map[string]string // a workload's own defaults may differ from the defaults of the table
	if s, err := session.Scenario(sc.Workload); err == nil {
		usual = s.Values
	}
	for i := range sc.Table {
		name := sc.Table[i].Name
		if v := sc.Values[name]; name != "fabric" && name != engine.Processes && v != usual[name] {
			line = append(line, "--"+name+"="+v)
		}
	}
	return line
}
