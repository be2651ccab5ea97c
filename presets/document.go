package presets

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/hybridtop/hybridtop/internal/tomlkeys"
)

// mistake is an error in a file. It has the position, the key and a hint.
type mistake struct {
	file string
	line int // 0: the file as a whole
	key  string
	text string
}

func (e *mistake) Error() string {
	where := e.file
	if e.line > 0 {
		where += ":" + strconv.Itoa(e.line)
	}
	if e.key != "" {
		where += ": " + e.key
	}
	return where + ": " + e.text
}

// document is a parsed file with the line numbers of its keys.
type document struct {
	file  string
	tree  map[string]any
	lines map[string]int // by dotted key, first mention; tables of a list are numbered from 1: "expect.2.metric"
}

// maxOpen is the maximum number of brackets in a document. The parser recurses at each bracket, so
// a file that consists of brackets would exhaust the stack.
const maxOpen = 1000

// maxKeys is the maximum number of keys in a document. The longest built-in file has a few hundred.
const maxKeys = 4000

// parse reads a document and rejects dotted keys for which isKey returns false.
func parse(file string, data []byte, isKey func(key string) bool, hint func(key string) string) (*document, error) {
	if n := bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{")); n > maxOpen {
		return nil, &mistake{file: file, text: fmt.Sprintf("%d opening brackets: a file of this sort has a few dozen, "+
			"at most %d are read", n, maxOpen)}
	}
	d := &document{file: file, lines: make(map[string]int)}
	if err := d.locate(data, isKey, hint); err != nil {
		return nil, err
	}
	if err := toml.Unmarshal(data, &d.tree); err != nil {
		return nil, d.syntax(err)
	}
	return d, nil
}

// syntax converts an error of the parser to a mistake.
func (d *document) syntax(err error) error {
	e := &mistake{file: d.file, text: visible(strings.TrimPrefix(err.Error(), "toml: "))}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		e.line, _ = at.Position()
	}
	return e
}

// locate records the line of every key and rejects the first unknown key. The strict mode of
// go-toml is not sufficient, because it accepts Value for value.
func (d *document) locate(data []byte, isKey func(string) bool, hint func(string) string) error {
	line, seen := 1, 0 // offset of the last counted line
	note := func(prefix string, keys unstable.Iterator) (string, error) {
		for keys.Next() {
			n := keys.Node()
			if at := int(n.Raw.Offset); at > seen {
				line += bytes.Count(data[seen:at], []byte("\n"))
				seen = at
			}
			if prefix != "" {
				prefix += "."
			}
			prefix += bareKey(n.Data)
			if _, ok := d.lines[prefix]; ok {
				continue
			}
			if !isKey(prefix) {
				return "", &mistake{file: d.file, line: line, key: shorten(prefix), text: "unknown key; " + hint(prefix)}
			}
			d.lines[prefix] = line
		}
		return prefix, nil
	}
	var inside func(prefix string, value *unstable.Node) error
	inside = func(prefix string, value *unstable.Node) error {
		if value.Kind != unstable.InlineTable {
			return nil
		}
		for it := value.Children(); it.Next(); {
			kv := it.Node()
			key, err := note(prefix, kv.Key())
			if err == nil {
				err = inside(key, kv.Value())
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	p := unstable.Parser{}
	p.Reset(data)
	table, counts := "", make(map[string]int) // tables of each list
	for p.NextExpression() {
		var err error
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			table, err = note("", e.Key())
		case unstable.ArrayTable:
			table, err = note("", e.Key())
			if err == nil && isKey(table+".1") {
				counts[table]++
				table += "." + strconv.Itoa(counts[table])
				d.lines[table] = line
			}
		case unstable.KeyValue:
			var key string
			key, err = note(table, e.Key())
			if err == nil {
				err = inside(key, e.Value())
			}
		}
		if err != nil {
			return err
		}
	}
	if line := tomlkeys.Excess(data, maxKeys, nil); line > 0 {
		return &mistake{file: d.file, line: line, text: fmt.Sprintf("more than %d keys are not read (remove some)", maxKeys)}
	}
	if err := p.Error(); err != nil {
		if e := toml.Unmarshal(data, new(map[string]any)); e != nil {
			err = e // the same error, with its line
		}
		return d.syntax(err)
	}
	return nil
}

// at returns the value of a dotted key that has only bare parts. A number from 1 selects a table of a list.
func (d *document) at(key string) (any, bool) {
	var v any = d.tree
	for part := range strings.SplitSeq(key, ".") {
		switch parent := v.(type) {
		case map[string]any:
			child, ok := parent[part]
			if !ok {
				return nil, false
			}
			v = child
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n < 1 || n > len(parent) {
				return nil, false
			}
			v = parent[n-1]
		default:
			return nil, false
		}
	}
	return v, true
}

// fail returns a mistake at a key. Its line is the line of the key or of its nearest existing
// parent.
func (d *document) fail(key, format string, args ...any) error {
	line, at := 0, key
	for line == 0 && at != "" {
		line = d.lines[at]
		at = at[:max(strings.LastIndexByte(at, '.'), 0)]
	}
	return &mistake{file: d.file, line: line, key: key, text: fmt.Sprintf(format, args...)}
}

// text reads a text of one line and rejects control characters.
func (d *document) text(key string, v any) (string, error) {
	s, ok := v.(string)
	switch {
	case !ok:
		return "", d.fail(key, "want a text in quotes")
	case strings.TrimSpace(s) == "":
		return "", d.fail(key, "is empty; want a text")
	case len(s) > maxText:
		return "", d.fail(key, "has %d bytes; keep it under %d", len(s), maxText)
	}
	for _, c := range s {
		if !unicode.IsPrint(c) {
			return "", d.fail(key, "contains %U, which is not printable; leave it out", c)
		}
	}
	return s, nil
}

// maxText is the maximum length of a text in bytes: a text must fit on a screen.
const maxText = 1000

// bareKey returns a part of a key as TOML writes it: quoted unless it is a bare key.
func bareKey(part []byte) string {
	for _, c := range part {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return strconv.Quote(string(part))
		}
	}
	if len(part) == 0 {
		return `""`
	}
	return string(part)
}

// shorten limits the length of text from a file, so that an error fits on the screen.
func shorten(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

// visible replaces control characters, which a terminal would interpret.
func visible(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return '\ufffd'
	}, s)
}
