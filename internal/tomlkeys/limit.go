package tomlkeys

import (
	"bytes"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxInside is the number of lists and tables inside a value that do not count as keys.
const maxInside = 16

// Excess returns the line of the first key above a limit, or 0. It takes linear time. Each part of a
// dotted key counts, also if the key repeats. A key of one part that is in free does not count: it is
// for files with a list of blocks, whose keys the decoder forgets at the next block. Many lists and
// tables inside one value count like keys. A file with a wrong syntax is read up to the error.
//
// The parser recurses at each bracket, so the caller limits their nesting.
func Excess(data []byte, limit int, free map[string]bool) (line int) {
	n, at := 0, 0 // counted keys, and the offset of the last one
	count := func(keys unstable.Iterator) {
		for first := true; keys.Next() && n <= limit; first = false {
			key := keys.Node()
			at = int(key.Raw.Offset)
			if !first || !keys.IsLast() || !free[string(key.Data)] {
				n++
			}
		}
	}
	inside := 0
	var visit func(value *unstable.Node)
	visit = func(value *unstable.Node) {
		for it := value.Children(); it.Next() && n <= limit; {
			x := it.Node()
			switch x.Kind {
			case unstable.KeyValue:
				count(x.Key())
				visit(x.Value())
			case unstable.Array, unstable.InlineTable:
				inside++
				if inside > maxInside {
					n++
				}
				visit(x)
			}
		}
	}
	p := unstable.Parser{}
	for p.Reset(data); n <= limit && p.NextExpression(); {
		e := p.Expression()
		count(e.Key())
		if e.Kind == unstable.KeyValue {
			inside = 0
			visit(e.Value())
		}
	}
	if n <= limit {
		return 0
	}
	return 1 + bytes.Count(data[:at], []byte("\n"))
}
