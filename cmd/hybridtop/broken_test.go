package main

import (
	"math"
	"os"
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// broken runs the command with one more workload, which fails in the way that the environment
// selects.
func broken() {
	how := os.Getenv("BREAK")
	workload.Register(&workload.Workload{
		Name: "broken", Title: "Broken", Doc: "It breaks.", Paper: "none",
		Metrics: []engine.MetricSpec{{Name: "done", Unit: "1", Doc: "nothing"}},
		Plan: func(*engine.Scenario, *workload.Site) (workload.Plan, error) {
			if how == "hang in the plan" {
				hangs()
			}
			return workload.Plan{Segment: 64}, nil
		},
		Run: func(r *cluster.Rank, p engine.Probe) error {
			for i := 0; p.Next(); i++ {
				r.Barrier(r.World())
				p.Report("done", 1)
				p.Verify(true, "nothing")
				switch {
				case i != 2 || r.ID() != 0 || how == "session" || how == "hang in the plan" || how == "hang at the end":
				case how == "hang in a rank":
					hangs()
				default:
					breaks(how)
				}
			}
			return nil
		},
		Finish: func(s *engine.Snapshot, _ *cluster.Machine) []engine.Metric {
			switch {
			case how == "session" && s.Iteration >= 3:
				breaks(how)
			case how == "hang at the end" && s.Phase == engine.Ended:
				hangs()
			}
			return nil
		},
	})
	main()
}

// hangs reports on standard output that it hangs, and does not return.
func hangs() {
	os.Stdout.WriteString("hangs\n")
	select {}
}

var (
	sink [][]byte
	hits = map[int]int{}
)

// breaks ends the process in a faulty way, and does not return.
func breaks(how string) {
	switch how {
	case "goroutine":
		go func() { panic("broken in a goroutine") }()
	case "map":
		for range 4 {
			go func() {
				for i := 0; ; i++ {
					hits[i%8]++
				}
			}()
		}
	case "memory":
		for { // the first is enough where an int has 64 bits
			sink = append(sink, make([]byte, min(1<<46, math.MaxInt)))
		}
	case "deadlock":
		var mu sync.Mutex
		mu.Unlock() // a fatal error
	default:
		panic("broken in the " + how)
	}
	select {}
}
