package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Shortened names keep the parts in which they differ, at any position.
func TestNamesStayDistinguishable(t *testing.T) {
	for _, c := range []struct {
		cols, head  int
		names, want []string
	}{
		{24, 3, []string{"16, 1 ahead, 8 slices, n = 150", "16, 1 ahead, 8 slices, n = 300"}, []string{"n = 150", "n = 300"}},
		{14, 1, []string{"16, 1 ahead, 8 slices, n = 150", "16, 2 ahead, 8 slices, n = 300"},
			[]string{"1 ahead, n = …", "2 ahead, n = …"}},
		{30, 0, []string{"16, 1 ahead, 8 slices, n = 150", "16, 2 ahead, 8 slices, n = 300"},
			[]string{"16, 1 ahead, 8 slices, n = 150", "16, 2 ahead, 8 slices, n = 300"}},
		{10, 0, []string{"scatter-allgather of 8", "scatter-allgather of 16", "ring"},
			[]string{"scatter-…8", "scatter-…6", "ring"}},
		{3, 0, []string{"a, b", "b, a"}, []string{"a,…", "b,…"}}, // without a they would be the same
		{10, 0, []string{"the name of a row alone"}, []string{"the name …"}},
		{10, 0, []string{"twice the same name", "twice the same name"}, []string{"twice the…", "twice the…"}},
		{6, 0, []string{"数数数数数", "aaaaaaaaa"}, []string{"数数数数数", "aaaaa…"}},
		{0, 0, []string{"ab", "ac"}, []string{"ab", "ac"}},
	} {
		got := slices.Clone(c.names)
		if head := shorten(got, c.cols); head != c.head || !slices.Equal(got, c.want) {
			t.Errorf("%q on %d columns: %q with %d parts dropped at the beginning, want %q with %d", c.names, c.cols, got,
				head, c.want, c.head)
		}
	}
}

// Rows of a table stay distinguishable if their names do not fit. The heading describes the
// remaining parts.
func TestRowsOfATableStayDistinguishable(t *testing.T) {
	s := &engine.StudyView{Form: engine.Form{Item: "ranks, schedule",
		Columns: []engine.Column{{Name: "time", Title: "product", Unit: "s", Wide: 9}}}}
	for i, what := range []string{"1 ahead, 1 slice", "1 ahead, 8 slices", "2 ahead, 8 slices, put"} {
		s.Rows = append(s.Rows,
			engine.Row{Label: fmt.Sprintf("64, %s, knomial, n = 65536, 4 cores", what), Cells: []float64{float64(i + 1)}})
	}
	draw := func(cols int) string {
		p, g := &Pane{}, grid.New(cols, 4)
		p.baseline.update(s, &pane.Host{})
		p.measure(s, cols)
		p.drawTable(g.All(), s, &pane.Host{Theme: grid.Themes()[0]})
		return g.PlainText()
	}
	const narrow = `
  schedule                 product
        1 ahead, 1 slice       1 s
       1 ahead, 8 slices       2 s
  2 ahead, 8 slices, put       3 s`
	if got := draw(40); strings.TrimSpace(got) != strings.TrimSpace(narrow) {
		t.Errorf("on 40 columns:\n%s", got)
	}
	if got := draw(80); !strings.Contains(got, "ranks, schedule") || !strings.Contains(got, s.Rows[0].Label+"       1 s") {
		t.Errorf("on 80 columns:\n%s", got)
	}
}
