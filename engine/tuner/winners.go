package tuner

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

// letters name choices on a map.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// WriteMaps draws a table as text: one map of sizes by ranks for each collective and number of
// ranks per node, with one letter per winner, and a legend below. It omits a size with the same
// winners as the previous one.
func WriteMaps(w io.Writer, t *coll.Table) error {
	var b strings.Builder
	for i, m := range t.Winners() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s, ranks per node: %d%s (columns: ranks)\n", m.Collective, m.PerNode, m.Modes.Words())
		var legend []coll.Choice
		named := map[coll.Choice]byte{}
		fmt.Fprintf(&b, "%12s", "bytes from")
		for _, p := range m.Ranks {
			fmt.Fprintf(&b, " %6d", p)
		}
		b.WriteByte('\n')
		for y, size := range m.Sizes {
			if y > 0 && slices.Equal(m.Cells[y], m.Cells[y-1]) {
				continue
			}
			fmt.Fprintf(&b, "%12d", size)
			for x := range m.Ranks {
				c := m.Cells[y][x]
				if _, ok := named[c]; !ok {
					named[c] = letters[len(letters)-1]
					if len(legend) < len(letters) {
						named[c] = letters[len(legend)]
					}
					legend = append(legend, c)
				}
				fmt.Fprintf(&b, " %6c", named[c])
			}
			b.WriteByte('\n')
		}
		for _, c := range legend {
			fmt.Fprintf(&b, "  %c  %s\n", named[c], c)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// The misses below a map: the number of the largest ones, and the least regret, which a map shows as more than 1.
const (
	worstShown = 5
	leastShown = 0.005
)

// WriteMisses draws misses as text: a map of sizes by ranks for each collective, with the time of the
// choice relative to the best one, and the largest misses below. A dash is a tuple without a choice.
func WriteMisses(w io.Writer, misses []Miss) error {
	var b strings.Builder
	for c := range coll.Collective(coll.Collectives) {
		all := slices.DeleteFunc(slices.Clone(misses), func(m Miss) bool { return m.At.Collective != c })
		if len(all) == 0 {
			continue
		}
		var ranks []int32
		var sizes []int64
		cells := map[[2]int64]string{}
		perNode := int32(0)
		for i := range all {
			at := &all[i].At
			ranks, sizes, perNode = append(ranks, at.Ranks), append(sizes, at.Bytes), max(perNode, at.PerNode)
			cells[[2]int64{int64(at.Ranks), at.Bytes}] = fmt.Sprintf("%.3g×", 1+all[i].Regret())
		}
		slices.Sort(ranks)
		ranks = slices.Compact(ranks)
		slices.Sort(sizes)
		sizes = slices.Compact(sizes)
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s, ranks per node: %d (columns: ranks)\n%12s", c, perNode, "bytes")
		for _, p := range ranks {
			fmt.Fprintf(&b, " %7d", p)
		}
		b.WriteByte('\n')
		for _, n := range sizes {
			fmt.Fprintf(&b, "%12d", n)
			for _, p := range ranks {
				fmt.Fprintf(&b, " %7s", cmp.Or(cells[[2]int64{int64(p), n}], "-"))
			}
			b.WriteByte('\n')
		}
		for _, m := range worst(all, worstShown) {
			fmt.Fprintf(&b, "  %s\n", m.Words())
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// worst returns the n largest misses of at least leastShown, the largest first.
func worst(misses []Miss, n int) []Miss {
	all := slices.DeleteFunc(slices.Clone(misses), func(m Miss) bool { return m.Regret() < leastShown })
	slices.SortStableFunc(all, func(x, y Miss) int { return cmp.Compare(y.Regret(), x.Regret()) })
	return all[:min(n, len(all))]
}

// Words describes a miss: its ratio, the tuple, and both choices with their times.
func (m *Miss) Words() string {
	return fmt.Sprintf("%.3g×  %s: %s %s, %s %s", 1+m.Regret(), m.At, m.Chosen, m.Took, m.Best, m.Least)
}
