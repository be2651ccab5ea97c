package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	seed := flag.Uint64("seed", rand.Uint64N(1_000_000), "seed of the mutations")
	number := flag.Int("n", 40, "number of mutations")
	only := flag.String("only", "", "mutate only files that contain this text in their path")
	flag.Parse()
	if err := run(*seed, *number, *only); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// required is the share of detected mutants that must be reached among the mutants with other results.
const required = 0.9

// run draws mutations, judges their mutants, and prints the verdicts.
func run(seed uint64, number int, only string) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	t := &trial{root: root, dir: dir}
	fmt.Printf("seed %d\n", seed)
	sites, err := t.prepare(only)
	if err != nil {
		return err
	}
	fmt.Printf("%d places in %d packages\n", len(sites), len(t.packages))
	count, rng := map[verdict][]string{}, rand.New(rand.NewPCG(seed, 0))
	var open []*mutant // in the order in which they are drawn
	for drawn := 0; ; drawn++ {
		for len(open) < parallel && drawn+len(open) < number && len(sites) > 0 {
			i := draw(rng, sites)
			open = append(open, t.start(sites[i]))
			sites = slices.Delete(sites, i, i+1)
		}
		if len(open) == 0 {
			return summarize(count)
		}
		m := open[0]
		open = open[1:]
		<-m.done
		line := fmt.Sprintf("%s: %s", m.site, m.why)
		fmt.Printf("%3d %-11s %s\n", drawn+1, m.found, line)
		count[m.found] = append(count[m.found], line)
	}
}

// parallel is the number of mutants that run at the same time.
const parallel = 2

// mutant is a mutant at work.
type mutant struct {
	site  site
	found verdict
	why   string
	done  chan struct{} // closed when the other fields are complete
}

// start begins to run the mutant of a site.
func (t *trial) start(s site) *mutant {
	m := &mutant{site: s, done: make(chan struct{})}
	go func() {
		defer close(m.done)
		m.found, m.why = t.judge(&m.site)
	}()
	return m
}

// draw returns the index of a site. All operators are equally likely, and within an operator all folders.
func draw(rng *rand.Rand, sites []site) int {
	among := make([]int, len(sites))
	for i := range among {
		among[i] = i
	}
	for _, key := range []func(*site) string{
		func(s *site) string { return s.operator },
		func(s *site) string { return filepath.Dir(s.file) },
	} {
		var all []string
		for _, i := range among {
			if k := key(&sites[i]); !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
		chosen := all[rng.IntN(len(all))]
		among = slices.DeleteFunc(among, func(i int) bool { return key(&sites[i]) != chosen })
	}
	return among[rng.IntN(len(among))]
}

// summarize prints the number of mutants by verdict, and lists the undetected ones.
func summarize(count map[verdict][]string) error {
	for _, v := range []verdict{equal, performance, missed} {
		if len(count[v]) > 0 {
			fmt.Printf("\n%s:\n  %s\n", v, strings.Join(count[v], "\n  "))
		}
	}
	n, all := len(count[detected]), len(count[detected])+len(count[missed])
	fmt.Printf("\n%d detected, %d missed, %d performance, %d equal\n", n, len(count[missed]), len(count[performance]),
		len(count[equal]))
	if all == 0 {
		return fmt.Errorf("no mutant changes a result (use another -seed)")
	}
	share, ofAll := float64(n)/float64(all), float64(n)/float64(all+len(count[performance]))
	fmt.Printf("%.1f %% of the mutants with other results are detected\n", 100*share)
	fmt.Printf("%.1f %% of the mutants with other results or times are detected\n", 100*ofAll)
	if share < required {
		return fmt.Errorf("%.1f %% detected, want at least %.0f %%", 100*share, 100*required)
	}
	return nil
}
