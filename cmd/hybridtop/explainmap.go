package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
)

// mapFlags are the axes of a decision map.
type mapFlags struct{ x, y, between string }

// decide finds the fastest variants over two axes.
func (x *explanation) decide(ctx context.Context, sc engine.Scenario, o session.Options) error {
	var axes [3]explain.MapAxis
	for i, text := range [...]string{x.mapped.x, x.mapped.y, x.mapped.between} {
		var err error
		if axes[i], err = explain.ParseMapAxis(&sc, text); err != nil {
			return err
		}
	}
	if len(axes[2].Values) < 2 || len(axes[2].Values) > 26 {
		return fmt.Errorf("--between %s: %d variants, want 2 to 26", axes[2].Name, len(axes[2].Values))
	}
	var err error
	x.decisions, err = explain.Decide(ctx, sc, axes[0], axes[1], axes[2], o)
	return err
}

// writeMap writes a decision map: a letter per cell, in lower case if the cell was not simulated.
func (x *explanation) writeMap(t *table) {
	m := x.decisions
	t.title(fmt.Sprintf("fastest %s (simulated, %d runs)", m.Variants.Name, m.Simulations))
	for k, v := range m.Variants.Values {
		t.row(string(rune('A'+k)) + " = " + v)
	}
	t.row("a lower-case letter: not simulated, all simulated neighbours have this winner")
	t.row()
	t.head(append([]string{m.Y.Name + " ↓ " + m.X.Name + " →"}, m.X.Values...)...)
	two := len(m.Variants.Values) == 2
	for j, value := range m.Y.Values {
		cells := []string{value}
		for i := range m.Cells[j] {
			c := &m.Cells[j][i]
			letter := "–"
			if c.Winner >= 0 {
				letter = string(rune('A' + c.Winner))
			}
			switch {
			case !c.Simulated:
				letter = strings.ToLower(letter)
			case two && c.Ratio(0, 1) > 0:
				letter += " " + strconv.FormatFloat(c.Ratio(0, 1), 'f', 3, 64)
			}
			cells = append(cells, letter)
		}
		t.row(cells...)
	}
	if two {
		t.row("numbers: time of A / time of B; the line between A and B is at 1")
	}
}

// The decision map of the JSON document.
type (
	mapDocument struct {
		X           mapAxis     `json:"x"`
		Y           mapAxis     `json:"y"`
		Between     mapAxis     `json:"between"`
		Cells       [][]mapCell `json:"cells"` // by y, then by x
		Simulations int         `json:"simulations"`
	}
	mapAxis struct {
		Name   string   `json:"name"`
		Values []string `json:"values"`
	}
	mapCell struct {
		Winner    string         `json:"winner"`
		Simulated bool           `json:"simulated"`
		Ps        []cluster.Time `json:"times_ps,omitempty"`
		Refusal   string         `json:"refusal,omitempty"`
	}
)

func jsonMap(m *explain.DecisionMap) *mapDocument {
	if m == nil {
		return nil
	}
	d := &mapDocument{X: mapAxis{m.X.Name, m.X.Values}, Y: mapAxis{m.Y.Name, m.Y.Values},
		Between: mapAxis{m.Variants.Name, m.Variants.Values}, Simulations: m.Simulations}
	for _, row := range m.Cells {
		var cells []mapCell
		for i := range row {
			c := mapCell{Simulated: row[i].Simulated, Ps: row[i].Times, Refusal: row[i].Refusal}
			if w := row[i].Winner; w >= 0 {
				c.Winner = m.Variants.Values[w]
			}
			cells = append(cells, c)
		}
		d.Cells = append(d.Cells, cells)
	}
	return d
}
