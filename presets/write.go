package presets

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// WriteMachine writes a machine as a file that loads back equal, if the file has the machine's
// name. Each number needs its Source, by key, with the prefix of its kind as the loader sets it. If
// a file cannot represent the machine, WriteMachine returns an error and writes nothing.
func WriteMachine(w io.Writer, m cluster.Machine) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "title = %s\nemulated = %t\nprogress = %s\n", strconv.Quote(m.Title), m.Emulated,
		strconv.Quote(string(m.Progress)))
	for i := range facts {
		f := &facts[i]
		v, is := f.get(&m)
		source := m.Source[f.key]
		if !is && source == "" {
			continue
		}
		fmt.Fprintf(&b, "\n[%s]\n", f.key)
		kind, words := split(source)
		if kind != Unknown {
			fmt.Fprintf(&b, "value = %s\n", literal(v))
		}
		if kind == Sourced {
			kind = "source"
		}
		if source != "" {
			fmt.Fprintf(&b, "%s = %s\n", kind, strconv.Quote(words))
		}
	}
	back, err := decodeMachine(m.Name+".toml", b.Bytes())
	if err != nil {
		return fmt.Errorf("machine %s cannot be written: %w", m.Name, err)
	}
	m.Source = maps.Clone(m.Source)
	if m.Source == nil {
		m.Source = make(map[string]string)
	}
	if !reflect.DeepEqual(m, back) {
		return fmt.Errorf("machine %s cannot be written: it has values that a file cannot contain", m.Name)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// literal returns a value in TOML.
func literal(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []float64:
		var all []string
		for _, x := range v {
			all = append(all, literal(x))
		}
		return "[" + strings.Join(all, ", ") + "]"
	case []cluster.Slow:
		return slowLiteral(v)
	case string:
		return strconv.Quote(v)
	}
	return fmt.Sprint(v)
}
