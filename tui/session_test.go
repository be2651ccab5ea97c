package tui

import (
	"testing"

	"github.com/hybridtop/hybridtop/engine/session"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// simulating returns the program with a real session that simulates Edison.
func simulating(t *testing.T, workload string, knobs map[string]string) *terminal {
	t.Helper()
	sc, err := session.Scenario(workload)
	if err != nil {
		t.Fatal(err)
	}
	knobs["fabric"], knobs["machine"] = "sim", "xc30-edison"
	for knob, value := range knobs {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Linger: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(t.Context())
	t.Cleanup(func() { _ = s.Stop() })
	return open(t, s, nil)
}

// The program with a real session that simulates 1,024 nodes: choose another machine from the list,
// another workload and another fabric.
func TestProgramOverASimulation(t *testing.T) {
	x := simulating(t, "pingpong", map[string]string{"nodes": "1024", "ranks-per-node": "1"})
	x.shows("pingpong  flat  one group  1024×1 ranks  on xc30-edison  sim  ◆ simulated  sketch")
	x.shows("2 Bandwidth")
	x.shows("virtual ")
	x.shows("✓ verified")

	x.press("o")
	x.shows("▸xc30-edison")
	x.shows("paper 3, section VI: 5,576 compute nodes")
	x.press("intrepid")
	x.shows("▸bgp-intrepid")
	x.key('\r')
	x.shows("on bgp-intrepid")
	x.shows("machine xc30-edison→bgp-intrepid")

	x.press("w")
	x.shows("hybridtop  randomaccess")
	x.shows("workload pingpong→randomaccess") // a curve may cover its line
	x.press(":workload dot")
	x.key('\r')
	x.shows("hybridtop  dot")

	x.press(":pace max")
	x.key('\r')
	x.shows("◂ max ▸")
	x.press(":machine this-host")
	x.key('\r')
	x.shows("✗ machine this-host: no")
	x.press("q")
	x.ends(nil)
}

// A group that spans nodes shows lines between nodes. They disappear when every access stays inside
// its node.
func TestTheGroupIsSeenAsTraffic(t *testing.T) {
	x := simulating(t, "randomaccess", map[string]string{"nodes": "4", "ranks-per-node": "4", "group": "4"})
	x.shows("no bytes between nodes")
	x.hides("◂━")
	x.press(":group 16")
	x.key('\r')
	x.shows("◂━")
	x.shows("━ more")
	x.hides("no bytes between nodes")
	x.press(":group 1")
	x.key('\r')
	x.shows("no bytes between nodes")
	x.hides("◂━")
	x.press("q")
	x.ends(nil)
}

// A value that needs too much memory is refused: its knob shows the numbers, and the run continues.
func TestMemoryIsRefusedOnTheScreen(t *testing.T) {
	sc, err := session.Scenario("pingpong")
	if err != nil {
		t.Fatal(err)
	}
	for knob, value := range map[string]string{"fabric": "sim", "nodes": "2", "ranks-per-node": "1", "group": "1",
		"size": "1024"} {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Linger: true, Memory: 536 << 20})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(t.Context())
	t.Cleanup(func() { _ = s.Stop() })
	x := open(t, s, nil)
	x.shows("✓ verified")
	x.press(":size 1073741824")
	x.key('\r')
	x.shows("✗ size = 1073741824:")
	x.shows("needs 4.008 GiB")
	x.shows("(134217728")
	if got := s.Load().Scenario.Text("size"); got != "1024" {
		t.Errorf("size is %s", got)
	}
	x.press("q")
	x.ends(nil)
}

// TestWhatIfOnTheScreen explains the path of a simulation with a key. The slider's forecast is on the screen at once, and
// the simulation replaces it.
func TestWhatIfOnTheScreen(t *testing.T) {
	x := simulating(t, "dot", map[string]string{"nodes": "4", "ranks-per-node": "2"})
	x.shows("✓ verified")
	x.press("E")
	x.shows("Critical path")
	x.shows("by constant")
	x.press(":what-if remote.latency_s=4")
	x.key('\r')
	x.shows("remote.latency_s ×4")
	x.shows("edison-changed")
	x.press("D")
	x.shows("remote.latency_s ×3.36")
	x.press("q")
	x.ends(nil)
}
