package palette

import (
	"strings"

	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
)

// entry is a command in the list.
type entry struct {
	text       string // the command
	doc        string
	keys       string
	needsValue bool         // a value must follow
	run        func()       // nil: only try
	try        func() error // called before run; after an error the command stays on the line
}

// entries returns all commands for a query. It includes the values of a knob once the query names
// the knob.
func (o *palette) entries(query string) []entry {
	var all []entry
	for _, l := range o.h.Lines() {
		if l.Mode == overlay.OnScreen {
			all = append(all, entry{text: l.Name, doc: l.Doc, keys: l.Keys, run: l.Run})
		}
	}
	table := o.h.Panel.Scenario.Table
	for i := range table {
		k := &table[i]
		all = append(all,
			entry{text: "set " + k.Name, doc: k.Doc + ", now " + k.Text(o.h.Requested(k.Name)), needsValue: true})
		for _, head := range []string{"set " + k.Name, "set " + k.Alias, k.Name, k.Alias} { // forms that the user may type
			if strings.HasPrefix(query, head+" ") {
				for _, c := range k.Choices {
					e := o.set(k.Name, c, k.Unit)
					e.text = head + " " + c
					all = append(all, e)
				}
			}
		}
	}
	for _, w := range workload.All() {
		all = append(all, entry{text: "workload " + w.Name, doc: w.Title, run: func() { o.h.Command("workload", w.Name) }})
		for _, a := range w.Aliases {
			all = append(all, entry{text: "workload " + a.Name, doc: a.Title, run: func() { o.h.Command("workload", a.Name) }})
		}
	}
	all = append(all, entry{text: "picture", doc: "write the screen to an .svg or .png file; optional: a pane to " +
		"draw alone, and a size such as 120x36", needsValue: true})
	all = append(all, o.pictures(query)...)
	if file, ok := strings.CutPrefix(query, "capture "); ok && strings.TrimSpace(file) != "" {
		e := o.capture(query, file)
		e.doc = "record the session to this file"
		all = append(all, e)
	}
	all = append(all, entry{text: "seek", doc: "go to a time (12.5s, -5s), a marker (mark 2), or a marker " +
		"by its text", needsValue: true})
	all = append(all, entry{text: "what-if", doc: "explain a simulation on a changed machine: KEY=FACTOR,..., such as " +
		"remote.latency_s=2", needsValue: true})
	all = append(all, entry{text: "decide", doc: "map the fastest variant of a simulation over two axes: KNOB=A,B X Y, such as " +
		"exchange=packed,slabs nx=32,64,128 remote.latency_s=0.5..8", needsValue: true})
	all = append(all, entry{text: "pairs SEEDS", doc: "compare by this number of pairs of simulations, 6 to 1000", needsValue: true})
	all = append(all, entry{text: "advise KNOBS", doc: "rank the choices of these knobs of a simulation", needsValue: true})
	all = append(all, entry{text: "regret LIBRARY", doc: "compare the choices of an MPI library, such as openmpi-4.1, with the fastest algorithms", needsValue: true})
	all = append(all, entry{text: "save", doc: "save this scenario under a name", needsValue: true})
	all = append(all, entry{text: "load", doc: "run a scenario (O lists them)", needsValue: true})
	if strings.HasPrefix(query, "load ") {
		for _, p := range o.files {
			all = append(all, o.load(p.Name, p.Title))
		}
	}
	for _, c := range []struct{ what, doc string }{
		{"command", "copy the command that repeats this run"},
		{"launch", "copy Open MPI's launch line for this layout"},
		{"launch openmpi", "copy Open MPI's launch line for this layout"},
		{"launch mpich", "copy MPICH's launch line for this layout"},
		{"launch slurm", "copy Slurm's launch line for this layout"},
		{"launch paper", "copy the launch line for paper 1's runtime"},
	} {
		all = append(all, entry{text: "copy " + c.what, doc: c.doc, run: func() { o.h.Copy(c.what) }})
	}
	for _, th := range grid.Themes() {
		all = append(all, entry{text: "theme " + th.Name, doc: "use this theme", run: func() { o.h.UseTheme(th.Name) }})
	}
	for _, name := range grid.UnitsNames() {
		u, _ := grid.UnitsByName(name)
		all = append(all,
			entry{text: "units " + name, doc: "show sizes and rates as " + u.Doc(), run: func() { o.h.UseUnits(u) }})
	}
	return all
}

// set returns the command that sets a knob. The value is checked first.
func (o *palette) set(knob, value, unit string) entry {
	return entry{
		text: "set " + knob + " " + value, doc: strings.TrimSpace(value + " " + unit),
		try: func() error {
			k, err := o.h.Panel.Scenario.Knob(knob)
			if err == nil {
				_, err = k.Parse(value)
			}
			return err
		},
		run: func() { o.h.Set(knob, value) },
	}
}

// ask returns the maker of a command that asks a question about the run.
func (o *palette) ask(question string) func(text, rest string) entry {
	return func(text, rest string) entry {
		return entry{text: text, try: func() error { return o.h.Ask(question, rest) }}
	}
}

func (o *palette) save(text, name string) entry {
	return entry{text: text, try: func() error { return o.h.Save(name) }}
}

func (o *palette) capture(text, file string) entry {
	return entry{text: text, try: func() error { return o.h.Capture(file) }}
}

func (o *palette) seek(text, to string) entry {
	return entry{text: text, try: func() error { return o.h.Seek(to) }}
}

func (o *palette) load(name, title string) entry {
	return entry{text: "load " + name, doc: title, try: func() error { return o.h.Load(name) }}
}

// pictures returns the commands for pictures of panes, once the query names the file.
func (o *palette) pictures(query string) []entry {
	rest, ok := strings.CutPrefix(query, "picture ")
	end := max(strings.LastIndex(rest, ".svg "), strings.LastIndex(rest, ".png "))
	if !ok || end < 0 {
		return nil
	}
	var all []entry
	for _, l := range o.h.Lines() {
		if name, ok := strings.CutPrefix(l.Name, "zoom-"); ok && l.Mode == overlay.OnScreen {
			of := rest[:end+len(".svg ")] + name
			e := o.picture("picture "+of, of)
			e.doc = "draw only this pane; optional: a size such as 120x36"
			all = append(all, e)
		}
	}
	return all
}

func (o *palette) picture(text, of string) entry {
	return entry{text: text, try: func() error { return o.h.Picture(of) }}
}
