package lessons

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the registry entry of the overlay.
var Spec = overlay.Spec{
	Open: pane.Action{Name: "lessons", Keys: []string{"C"},
		Doc: "choose a lesson: predict, run, and see why the result differs"},
	Changes: true, Mode: "in the lessons",
	New: func(h *overlay.Host) overlay.Overlay { return newPicker(h) },
}

type picker struct {
	overlay.Picker
	all []presets.Lesson // when the list was opened
}

func newPicker(h *overlay.Host) *picker {
	o := &picker{}
	o.Picker = overlay.Picker{Host: h, Noun: "lesson", Verb: "open", Size: [2]int{110, 36}, All: o.choices,
		Describe: o.describe, Take: func(name string) { h.OpenLesson(name) }}
	return o
}

// Open reads the lessons.
func (o *picker) Open() bool {
	o.all = nil
	for _, name := range presets.Lessons() {
		if l, err := presets.FindLesson(name); err != nil {
			o.Host.Say("skipped: " + err.Error())
		} else {
			o.all = append(o.all, l)
		}
	}
	o.Begin()
	return true
}

func (o *picker) choices() []overlay.Choice {
	var all []overlay.Choice
	for _, l := range o.all {
		all = append(all, overlay.Choice{Name: l.Name, Search: strings.Join([]string{l.Name, l.Title, l.Paper, l.Aim}, " ")})
	}
	return all
}

// describe writes the description of a lesson.
func (o *picker) describe(f *grid.Flow, name string) {
	th := o.Host.Theme
	i := slices.IndexFunc(o.all, func(l presets.Lesson) bool { return l.Name == name })
	if i < 0 {
		return
	}
	l := &o.all[i]
	f.Text(l.Title, th.Title)
	f.Text(fmt.Sprintf("%s; %d minutes", l.Paper, l.Minutes), th.Dim)
	f.Y++
	f.Text(l.Aim, th.Text)
	if len(l.Before) > 0 {
		f.Y++
		f.Text("Before this lesson: "+strings.Join(l.Before, ", "), th.Dim)
	}
	f.Y++
	for _, w := range l.Words {
		f.Text(w.Term+": "+w.Meaning, th.Dim)
	}
}
