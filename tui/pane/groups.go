package pane

import (
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/engine"
)

// Row is a row of the list of knobs: a knob, or the head of a group.
type Row struct {
	Knob   int    // index in the scenario's table; −1: a head
	Group  string // the group of the knob, or the group that begins
	Folded int    // number of knobs that a head hides
}

// The groups of knobs, in their order. The first has no head.
const (
	schemeGroup  = ""
	problemGroup = "problem"
	machineGroup = "machine"
	runGroup     = "run"
	idleGroup    = "no effect"
)

var groupOrder = [...]string{schemeGroup, problemGroup, machineGroup, runGroup, idleGroup}

var groupOf = map[engine.Role]string{engine.Scheme: schemeGroup, engine.Problem: problemGroup, engine.Machine: machineGroup,
	engine.View: runGroup}

// group returns the rows of the list: the headline knob, the knobs of its scheme, then the other groups.
// A folded group shows only its selected knob.
func (p *Panel) group() {
	first := p.First()
	p.rows = p.rows[:0]
	for _, group := range groupOrder {
		head := -1
		if group != schemeGroup {
			head = len(p.rows)
			p.rows = append(p.rows, Row{Knob: -1, Group: group})
		}
		begin := len(p.rows)
		for i := range p.Scenario.Table {
			k := &p.Scenario.Table[i]
			of := groupOf[k.Role]
			switch {
			case k.Name == first:
				of = schemeGroup
			case p.Idle(k.Name) != "":
				of = idleGroup
			}
			switch {
			case of != group:
			case p.IsFolded(group) && k.Name != p.Selected:
				p.rows[head].Folded++
			case k.Name == first:
				p.rows = slices.Insert(p.rows, begin, Row{Knob: i})
			default:
				p.rows = append(p.rows, Row{Knob: i, Group: group})
			}
		}
		if head >= 0 && len(p.rows) == begin && p.rows[head].Folded == 0 {
			p.rows = p.rows[:head]
		}
	}
}

// Rows returns the rows of the list of knobs. Without First, it is the scenario's table.
func (p *Panel) Rows() []Row {
	if p.First != nil {
		if p.grouped != p.Edits || len(p.rows) == 0 {
			p.group()
			p.grouped = p.Edits
		}
		return p.rows
	}
	p.rows = p.rows[:0]
	for i := range p.Scenario.Table {
		p.rows = append(p.rows, Row{Knob: i})
	}
	return p.rows
}

// IsFolded reports whether a group is folded. Knobs without effect are folded unless the user unfolds
// them.
func (p *Panel) IsFolded(group string) bool {
	return slices.Contains(p.Folded, group) != (group == idleGroup)
}

// Fold folds or unfolds a group. A selected knob in a folded group gives the selection to the first one.
func (p *Panel) Fold(group string) {
	if i := slices.Index(p.Folded, group); i >= 0 {
		p.Folded = slices.Delete(slices.Clone(p.Folded), i, i+1)
	} else {
		p.Folded = append(slices.Clone(p.Folded), group)
	}
	if p.IsFolded(group) && slices.ContainsFunc(p.Rows(), func(r Row) bool {
		return r.Group == group && r.Knob >= 0 && p.Scenario.Table[r.Knob].Name == p.Selected
	}) {
		p.Selected = p.First()
	}
	p.Edits++
}

// FoldSelected folds the group of the selected knob. In the first group it unfolds all groups.
func (p *Panel) FoldSelected() {
	if p.First == nil {
		return
	}
	at := p.At()
	for _, r := range p.Rows() {
		if r.Knob == at && r.Group != schemeGroup {
			p.Fold(r.Group)
			return
		}
	}
	for _, group := range groupOrder[1:] {
		if p.IsFolded(group) {
			p.Fold(group)
		}
	}
}

// HeadText returns the text of a head: its group, and the number of knobs that it hides.
func (r *Row) HeadText() string {
	if r.Folded > 0 {
		return "▸ " + r.Group + " (" + strconv.Itoa(r.Folded) + ")"
	}
	return "▾ " + r.Group
}
