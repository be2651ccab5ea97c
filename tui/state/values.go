package state

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode"
)

// reader extracts values from the content of a file, and lists what it skips.
type reader struct {
	file    string
	skipped []string
}

func (r *reader) skip(key, format string, args ...any) {
	r.skipped = append(r.skipped, fmt.Sprintf("%s: %s: %s: skipped", r.file, visible(key), fmt.Sprintf(format, args...)))
}

// forEach calls visit for each key of a table, in the order of the keys.
func forEach(t tree, visit func(key string, v any)) {
	for _, key := range slices.Sorted(maps.Keys(t)) {
		visit(key, t[key])
	}
}

func (r *reader) config(t tree, k *Kept) {
	forEach(t, func(key string, v any) {
		switch key {
		case "version":
		case "theme":
			k.Theme = r.text(key, v)
		case "units":
			k.Units = r.text(key, v)
		case "markers":
			k.Markers = r.text(key, v)
		case "mouse":
			if on, ok := v.(bool); ok {
				k.Mouse = &on
			} else {
				r.skip(key, "want true or false")
			}
		default:
			r.skip(key, "unknown key, want theme, units, mouse or markers")
		}
	})
}

func (r *reader) state(t tree, k *Kept) {
	forEach(t, func(key string, v any) {
		all, ok := v.(tree)
		switch {
		case key == "version":
		case key == "recent":
			k.Recent = r.texts(key, v)
			k.Recent = k.Recent[:min(len(k.Recent), MaxRecent)]
		case key != "workloads" || !ok:
			r.skip(key, "unknown key, want workloads or recent")
		default:
			k.Workloads = map[string]Workload{}
			forEach(all, func(name string, v any) {
				if one, ok := v.(tree); ok {
					k.Workloads[name] = r.workload("workloads."+name, one)
				} else {
					r.skip("workloads."+name, "want a table")
				}
			})
		}
	})
}

func (r *reader) workload(at string, t tree) (w Workload) {
	forEach(t, func(key string, v any) {
		one, ok := v.(tree)
		switch {
		case key == "knobs" && ok:
			w.Knobs = map[string]string{}
			forEach(one, func(knob string, v any) {
				if text := r.value(at+".knobs."+knob, v); text != "" {
					w.Knobs[knob] = text
				}
			})
		case key == "layout" && ok:
			w.Layout = r.layout(at+".layout", one)
		default:
			r.skip(at+"."+key, "unknown key, want knobs or layout")
		}
	})
	return w
}

func (r *reader) layout(at string, t tree) *Layout {
	l := &Layout{}
	forEach(t, func(key string, v any) {
		name := at + "." + key
		switch key {
		case "focus":
			l.Focus = r.text(name, v)
		case "zoomed":
			on, ok := v.(bool)
			if !ok {
				r.skip(name, "want true or false")
			}
			l.Zoomed = on
		case "panes":
			l.Panes = r.texts(name, v)
		case "folded":
			l.Folded = r.texts(name, v)
		default:
			r.skip(name, "unknown key, want focus, zoomed, panes or folded")
		}
	})
	return l
}

// texts returns a list of texts.
func (r *reader) texts(name string, v any) (texts []string) {
	all, ok := v.([]any)
	if !ok {
		r.skip(name, "want a list")
	}
	for _, v := range all {
		if text := r.text(name, v); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// longestText is the maximum length of a text, in bytes.
const longestText = 200

// text returns a text that is safe to print on a terminal, or "" after skipping the value.
func (r *reader) text(key string, v any) string {
	s, ok := v.(string)
	switch {
	case !ok || s == "":
		r.skip(key, "want text in quotes")
	case len(s) > longestText:
		r.skip(key, "text of %d bytes, want at most %d", len(s), longestText)
	case visible(s) != s:
		r.skip(key, "text is not printable")
	default:
		return s
	}
	return ""
}

// value returns the value of a knob as text.
func (r *reader) value(key string, v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return r.text(key, v)
}

// tomlValue returns the value of a knob as it is written to a file.
func tomlValue(value string) any {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && strconv.FormatInt(n, 10) == value {
		return n
	}
	return value
}

// visible replaces control characters, which a terminal would obey.
func visible(s string) string {
	out := []rune(s)
	for i, c := range out {
		if !unicode.IsPrint(c) {
			out[i] = '\ufffd'
		}
	}
	return string(out)
}

// configChange returns the function that applies the changes to config.toml, or nil.
func configChange(last, now *Kept) func(tree) {
	var all []func(tree)
	set := func(key string, v any) { all = append(all, func(t tree) { t[key] = v }) }
	if now.Theme != last.Theme && now.Theme != "" {
		set("theme", now.Theme)
	}
	if now.Units != last.Units && now.Units != "" {
		set("units", now.Units)
	}
	if now.Markers != last.Markers && now.Markers != "" {
		set("markers", now.Markers)
	}
	if now.Mouse != nil && (last.Mouse == nil || *last.Mouse != *now.Mouse) {
		set("mouse", *now.Mouse)
	}
	return applyAll(all)
}

// stateChange returns the function that applies the changes to state.toml, or nil. The scenario and
// the layout of a workload are separate keys.
func stateChange(last, now *Kept) func(tree) {
	var all []func(tree)
	if len(now.Recent) > 0 && !slices.Equal(last.Recent, now.Recent) {
		var recent []string
		for _, command := range now.Recent {
			if len(command) <= longestText && visible(command) == command {
				recent = append(recent, command)
			}
		}
		all = append(all, func(t tree) { t["recent"] = recent })
	}
	for _, name := range slices.Sorted(maps.Keys(now.Workloads)) {
		was, is := last.Workloads[name], now.Workloads[name]
		if is.Knobs != nil && !maps.Equal(was.Knobs, is.Knobs) {
			knobs := tree{}
			for k, v := range is.Knobs {
				knobs[k] = tomlValue(v)
			}
			all = append(all, func(t tree) { subtable(subtable(t, "workloads"), name)["knobs"] = knobs })
		}
		if is.Layout != nil && !sameLayout(was.Layout, is.Layout) {
			l := tree{"focus": is.Layout.Focus, "zoomed": is.Layout.Zoomed, "panes": is.Layout.Panes}
			if is.Layout.Folded != nil {
				l["folded"] = is.Layout.Folded
			}
			all = append(all, func(t tree) { subtable(subtable(t, "workloads"), name)["layout"] = l })
		}
	}
	return applyAll(all)
}

func applyAll(all []func(tree)) func(tree) {
	if len(all) == 0 {
		return nil
	}
	return func(t tree) {
		for _, change := range all {
			change(t)
		}
	}
}

// subtable returns a table inside a table, which it creates if necessary.
func subtable(t tree, key string) tree {
	in, ok := t[key].(tree)
	if !ok {
		in = tree{}
		t[key] = in
	}
	return in
}
