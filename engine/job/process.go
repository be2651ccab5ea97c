package job

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/live/far"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/tuner"
	"github.com/hybridtop/hybridtop/internal/safetext"
)

const command = "mpirun -n 2 hybridtop-mpi run WORKLOAD --machine this-host --nodes 2 --group 1 " +
	"(knobs: hybridtop-mpi run WORKLOAD --help)"

// A Carrier is a transport that can end all processes of its job.
type Carrier interface {
	far.Transport
	Abort(code int)
}

// Run runs a command line in every process of a job. It returns the exit status.
func Run(args []string, open func() (Carrier, error)) int {
	errs := safetext.NewWriter(os.Stderr)
	fail := func(err error) int {
		fmt.Fprintln(errs, "hybridtop-mpi:", err)
		_ = errs.Close()
		return 1
	}
	r, err := ParseRequest(args)
	var help *Help
	if errors.As(err, &help) {
		fmt.Print(help.Text)
		return 0
	}
	if err != nil {
		return fail(err)
	}
	t, err := open()
	if err != nil {
		return fail(err)
	}
	job := far.Join(t)
	err = run(job, r)
	if err == nil || job.Process() != 0 && job.Runs() > 0 { // process 0 ends the job after a failure
		lost := job.Close()
		if err != nil && lost == nil { // process 0 has closed the job without a failure, and writes no error
			return fail(err)
		}
		err = errors.Join(err, lost)
	}
	if err != nil {
		if job.Leads() || job.Runs() == 0 {
			fail(err)
			time.Sleep(forwarding)
		} else {
			time.Sleep(yielding)
		}
		t.Abort(1) // other processes may wait for this one
	}
	return 0
}

// Times for which a process waits before it aborts the job.
const (
	forwarding = 300 * time.Millisecond // the launcher forwards the output of this process
	yielding   = time.Second            // process 0 writes the result and the error, and aborts first
)

// Request is the run that a command line requests of a process.
type Request struct {
	Scenario engine.Scenario
	Limits   session.Limits
	Apart    bool // processes do not share segments
}

// Help is the error of a command line that asks for help.
type Help struct{ Text string }

func (h *Help) Error() string { return h.Text }

// ParseRequest reads a command line. machines are available in addition to the presets.
func ParseRequest(args []string, machines ...cluster.Machine) (r Request, err error) {
	if n := len(args); n > 0 && n < 3 && isHelp(args[n-1]) {
		return r, &Help{"usage: " + command + "\n"}
	}
	if len(args) < 2 || args[0] != "run" {
		return r, errors.New("want: " + command)
	}
	if r.Scenario, err = session.Scenario(args[1], machines...); err != nil {
		return r, err
	}
	sc, limits := &r.Scenario, &r.Limits
	flags := flag.NewFlagSet("hybridtop-mpi", flag.ContinueOnError)
	var help strings.Builder
	flags.SetOutput(&help)
	flags.Usage = func() {
		fmt.Fprintf(&help, "usage: %s\n\n", command)
		flags.PrintDefaults()
	}
	flags.IntVar(&limits.Iterations, "iterations", 0, "number of iterations of the run, however long they take")
	flags.DurationVar(&limits.Usual, "for", 3*time.Second, "time in which the run starts iterations")
	table := flags.String("table", "", "table for algorithm = tuned, which every process reads")
	until := flags.Duration("until", 0, "time on the fabric's clock at which the run starts no further iteration")
	flags.BoolVar(&r.Apart, "apart", false, "processes on one host do not share segments")
	for _, k := range sc.Table {
		flags.String(k.Name, k.Default, k.Doc)
	}
	if err = flags.Parse(args[2:]); errors.Is(err, flag.ErrHelp) {
		return r, &Help{help.String()}
	}
	if err != nil {
		return r, err
	}
	if limits.Iterations < 0 || limits.Usual <= 0 || *until < 0 || flags.NArg() > 0 {
		return r, fmt.Errorf("iterations %d, time %v, %d words more: want: %s", limits.Iterations, limits.Usual, flags.NArg(),
			command)
	}
	if *table != "" {
		if err = tuner.Use(*table); err != nil {
			return r, err
		}
	}
	timed := false
	flags.Visit(func(f *flag.Flag) { timed = timed || f.Name == "for" })
	limits.Until = cluster.Time(*until) * cluster.Nanosecond
	if limits.Iterations > 0 || hasFront() && !timed { // a front ends its job
		limits.Usual = 0
	}
	flags.Visit(func(f *flag.Flag) {
		if _, unknown := sc.Knob(f.Name); unknown == nil && err == nil {
			err = sc.Set(f.Name, f.Value.String())
		}
	})
	return r, err
}

// isHelp reports whether a word asks for help.
func isHelp(word string) bool {
	return slices.Contains([]string{"help", "-h", "-help", "--help"}, word)
}

// fabric returns the fabric over the processes of a job.
func (r *Request) fabric(job *far.Job) *live.Fabric {
	if r.Apart {
		return live.Apart(job)
	}
	return live.Over(job)
}

// run runs the session of this process. In process 0 it writes the result, and returns an error if the
// run did not verify.
func run(job *far.Job, r Request) error {
	fabric := r.fabric(job)
	front, err := attach(job, fabric)
	if err != nil {
		return err
	}
	o := session.Options{Fabrics: map[string]cluster.Fabric{engine.Live: fabric}, Limits: r.Limits}
	if front != nil {
		o.Observer = front
	}
	s, err := session.New(r.Scenario, o)
	if err != nil {
		if front != nil {
			front.refuse(err)
		}
		return err
	}
	ctx := untilSignal()
	if front != nil {
		return front.follow(ctx, s, job)
	}
	s.Start(ctx)
	failed := s.Wait()
	if job.Process() != 0 {
		return failed
	}
	snap := s.Load()
	out := safetext.NewWriter(os.Stdout)
	if failed == nil || snap.Iteration > 0 {
		write(out, snap, descriptionOf(job, fabric))
	}
	reason, hint := snap.Unverified()
	switch err := out.Close(); {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return interrupted(job, &snap.Layout)
	case failed != nil:
		return failed
	case hint != "":
		return fmt.Errorf("not verified: %s (%s)", reason, hint)
	case reason != "":
		return fmt.Errorf("not verified after %d iterations: %s", snap.Iteration, reason)
	}
	return nil
}

// untilSignal returns a context that a signal ends. Later signals have no effect.
func untilSignal() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	return ctx
}

// interrupted returns the error of a job that a signal ends. It names the processes that do not close the job in
// time, because a launcher also sends a signal if a process has ended.
func interrupted(job *far.Job, l *cluster.Layout) error {
	err := errors.New("interrupted")
	for _, p := range job.Missing(forwarding) {
		err = fmt.Errorf("%w; %s: process %d does not answer", err, l.ListProcess(p, job.Processes()), p)
	}
	return err
}

// descriptionOf describes the processes of a job in the latest run of a fabric.
func descriptionOf(j *far.Job, f *live.Fabric) *engine.Job {
	return &engine.Job{Library: j.Carrier(), Processes: j.Processes(), Shared: f.SharesSegments()}
}

// write writes the result of a run.
func write(w io.Writer, s *engine.Snapshot, job *engine.Job) {
	fmt.Fprintf(w, "%s on %s: %d nodes × %d ranks, %s\n%s\n\n", s.Scenario.Workload, s.Scenario.Text("machine"),
		s.Layout.Nodes, s.Layout.RanksPerNode, s.Layout.Model, job)
	for _, m := range s.Metrics {
		fmt.Fprintf(w, "%-24s %12.6g %-8s %s\n", m.Name, m.Value, m.Unit, m.Kind)
	}
	word, reason := "yes", s.Verification.Detail
	if why, _ := s.Unverified(); why != "" {
		word, reason = "no", why
	}
	fmt.Fprintf(w, "\niterations  %d\nverified    %s, %d checks: %s\n", s.Iteration, word, s.Verification.Checks, reason)
	for _, text := range s.Warnings {
		fmt.Fprintf(w, "warning     %s\n", text)
	}
}
