package tuner

import (
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
