package tui

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/presets"
)

// TestStories runs the scripts in testdata/stories on a terminal, on each fabric that they name. A
// line of a script is
//
//	open WORKLOAD KNOB=VALUE ...   starts a workload
//	on FABRIC ...                  names the fabrics
//	type WORDS                     types words and enter
//	press KEYS                     types keys
//	see WORDS                      waits until the screen shows the words
//	gone WORDS                     waits until the words have disappeared
//	winner GROUP                   the sentence and the model name this group, or none if the host fell behind
//	star GROUP                     the table has a star at this group, or none if the host fell behind
//	pair RATIO                     checks the length of the upper part of the timeline, relative to the lower
//
// or a comment. Steps do not depend on real time.
func TestStories(t *testing.T) {
	if race.Enabled {
		t.Skip("other tests run sessions on the screen")
	}
	files, err := filepath.Glob("testdata/stories/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d stories: %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var opens string
		var fabrics []string
		var steps []string // "line number verb words"
		for i, line := range strings.Split(string(b), "\n") {
			verb, words, _ := strings.Cut(line, " ")
			switch verb {
			case "", "#":
			case "open":
				opens = words
			case "on":
				fabrics = strings.Fields(words)
			default:
				steps = append(steps, strconv.Itoa(i+1)+" "+line)
			}
		}
		for _, fabric := range fabrics {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+fabric, func(t *testing.T) {
				if fabric == "live" && testing.Short() {
					t.Skip("it takes seconds of real time")
				}
				s, x := opened(t, fabric, strings.Fields(opens))
				for _, step := range steps {
					n, rest, _ := strings.Cut(step, " ")
					verb, words, _ := strings.Cut(rest, " ")
					t.Logf("%s:%s: %s %s", file, n, verb, words)
					act(t, s, x, verb, words)
				}
				x.press("q")
				x.ends(nil)
			})
		}
	}
}

// opened returns the program with a session of a script.
func opened(t *testing.T, fabric string, words []string) (*session.Session, *terminal) {
	t.Helper()
	made, err := presets.LoadMachine("testdata/machines/near-and-far.toml")
	if err != nil {
		t.Fatal(err)
	}
	sc, err := session.Scenario(words[0], made)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range append(words[1:], "fabric="+fabric) {
		knob, value, _ := strings.Cut(pair, "=")
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Machines: []cluster.Machine{made}, Linger: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(t.Context())
	t.Cleanup(func() { _ = s.Stop() })
	return s, open(t, s, nil)
}

func act(t *testing.T, s *session.Session, x *terminal, verb, words string) {
	t.Helper()
	switch verb {
	case "type":
		x.press(words)
		x.send(func() { x.em.SendKey(uv.KeyPressEvent{Code: '\r'}) })
	case "press":
		x.press(words)
	case "see":
		x.shows(words)
	case "gone":
		x.hides(words)
	case "winner":
		x.until("the winner is group "+words, func() bool { return wins(s.Load(), words) })
	case "star":
		x.until("a star for group "+words, func() bool {
			snap := s.Load()
			v := locality(snap)
			starred := slices.ContainsFunc(strings.Split(x.text(), "\n"), func(line string) bool {
				_, row, ok := strings.Cut(line, "★")
				return ok && strings.HasPrefix(strings.TrimSpace(row), words+" ")
			})
			return starred || v != nil && fellBehind(snap, v) && !strings.Contains(x.text(), "★")
		})
	case "pair":
		want, err := strconv.ParseFloat(words, 64)
		if err != nil {
			t.Fatal(err)
		}
		x.until("a pair of "+words, func() bool {
			upper, lower := brackets(x.text())
			return lower > 0 && math.Abs(float64(upper)/float64(lower)-want) < want*1.5/float64(lower)
		})
	default:
		t.Fatalf("a story has no step %q", verb)
	}
}

// wins reports whether the sentence calls a group the faster one, and the model predicts the least
// time for it among the groups that ran. If the host fell behind, the sentence names no group. If
// it fell behind with the faster group, the sentence compares with a group that did not run.
func wins(snap *engine.Snapshot, group string) bool {
	v := locality(snap)
	if v == nil {
		return false
	}
	least := math.Inf(1)
	best := ""
	untimed := false
	behind := fellBehind(snap, v)
	for _, r := range v.Rows {
		if r.Cells[study.LocalityAccesses] > 0 && r.Cells[study.LocalityLaw] < least {
			least = r.Cells[study.LocalityLaw]
			best = r.Label
			untimed = math.IsNaN(r.Cells[study.LocalityAccess])
		}
	}
	says := faster(v.Why)
	if untimed && best == group {
		return v.Why != ""
	}
	return says == group && (best == group || behind) || behind && v.Why != "" && says == ""
}

// locality returns the study of group sizes, or nil.
func locality(snap *engine.Snapshot) *engine.StudyView {
	i := slices.IndexFunc(snap.Studies, func(v engine.StudyView) bool { return v.Name == "locality" })
	if i < 0 {
		return nil
	}
	return &snap.Studies[i]
}

// fellBehind reports whether the host fell behind in a run or at a point of a study.
func fellBehind(snap *engine.Snapshot, v *engine.StudyView) bool {
	return snap.Late() || slices.ContainsFunc(v.Rows, func(r engine.Row) bool { return r.Flag == engine.Late })
}

// faster returns the group that a sentence calls the faster one. Sentences are "A single access is 3.3× faster
// with group 4" and "Group 1 keeps ...: a single access is 13× faster than with group 16".
func faster(sentence string) string {
	text := sentence
	if _, other, ok := strings.Cut(sentence, "faster with group "); ok {
		return strings.TrimRight(strings.Fields(other)[0], ",")
	}
	if words := strings.Fields(text); len(words) > 1 && strings.Contains(text, "× faster") {
		return words[1]
	}
	return ""
}

// brackets returns the columns of the first two brackets on the screen.
func brackets(screen string) (upper, lower int) {
	var all []int
	for line := range strings.Lines(screen) {
		_, rest, ok := strings.Cut(line, "├")
		inside, _, ended := strings.Cut(rest, "┤")
		if ok && ended && strings.Contains(inside, "─") {
			all = append(all, 2+len([]rune(inside)))
		}
	}
	if len(all) < 2 {
		return 0, 0
	}
	return all[0], all[1]
}
