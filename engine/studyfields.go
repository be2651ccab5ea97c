package engine

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster/codec"
)

// Encoders of list elements in studies.
var (
	indices = codec.PartOf(func(p *int, c *codec.Walk) { codec.Integer(c, p) })
	studies = codec.PartOf(func(v *StudyView, c *codec.Walk) { v.fields(c, (*StudyView).listDrawings) })
	columns = codec.PartOf((*Column).fields)
	charts  = codec.PartOf((*Chart).fields)
	rows    = codec.PartOf((*Row).fields)
	plots   = codec.PartOf((*Plot).fields)
	lines   = codec.PartOf((*Line).fields)
	markers = codec.PartOf((*Marker).fields)
	rules   = codec.PartOf((*Rule).fields)
	notes   = codec.PartOf((*Note).fields)
	hints   = codec.PartOf((*Hint).fields)
)

// studiesBefore decodes studies of snapshots before version 8.
var studiesBefore = codec.PartOf(func(v *StudyView, c *codec.Walk) { v.fields(c, (*StudyView).drawingsBefore) })

func (v *StudyView) fields(c *codec.Walk, drawings func(*StudyView, *codec.Walk)) {
	v.Form.fields(c)
	codec.List(c, &v.Rows, rows)
	if codec.Integer(c, &v.Now); v.Now < -1 || v.Now > len(v.Rows) {
		c.Fail(fmt.Errorf("study %q of %d rows: current row %d is out of range", v.Name, len(v.Rows), v.Now))
	}
	codec.List(c, &v.Plots, plots)
	codec.List(c, &v.Facts, notes)
	codec.List(c, &v.Missing, hints)
	codec.Text(c, &v.Why)
	codec.Text(c, &v.Glance)
	drawings(v, c)
	c.Float(&v.Time)
	c.Float(&v.Reference)
	codec.Text(c, &v.Scheme)
	codec.Text(c, &v.Gain)
}

func (f *Form) fields(c *codec.Walk) {
	codec.Text(c, &f.Name)
	codec.Text(c, &f.Title)
	codec.Text(c, &f.Caption)
	codec.Text(c, &f.Of)
	codec.Text(c, &f.Item)
	codec.List(c, &f.Columns, columns)
	codec.List(c, &f.Charts, charts)
	f.Brief.fields(c)
	codec.Text(c, &f.Metric)
	codec.List(c, &f.Chooses, texts)
	c.Flag(&f.Listed)
	codec.Text(c, &f.Absent)
}

func (k *Column) fields(c *codec.Walk) {
	codec.Text(c, &k.Name)
	codec.Text(c, &k.Title)
	codec.Text(c, &k.Unit)
	codec.Integer(c, &k.Wide)
	codec.Text(c, &k.Kind)
	codec.Text(c, &k.Legend)
	codec.Text(c, &k.Short)
}

func (b *Brief) fields(c *codec.Walk) {
	codec.Text(c, &b.Before)
	codec.Integer(c, &b.Column)
	codec.Text(c, &b.After)
}

func (h *Chart) fields(c *codec.Walk) {
	codec.Text(c, &h.Shape)
	codec.Integer(c, &h.X)
	codec.List(c, &h.Y, indices)
	codec.Integer(c, &h.XLog)
	codec.Integer(c, &h.YLog)
	c.Flag(&h.Join)
	codec.List(c, &h.Same, indices)
}

func (r *Row) fields(c *codec.Walk) {
	codec.Text(c, &r.Key)
	codec.Text(c, &r.Label)
	codec.Text(c, &r.Series)
	codec.Text(c, &r.Kind)
	c.FloatList(&r.Cells)
	c.FloatList(&r.Raw)
	codec.Text(c, &r.Flag)
}

func (p *Plot) fields(c *codec.Walk) {
	codec.Text(c, &p.Title)
	p.XRange.fields(c)
	p.YRange.fields(c)
	codec.List(c, &p.Lines, lines)
	codec.List(c, &p.Marks, markers)
	codec.List(c, &p.Rules, rules)
}

func (r *Range) fields(c *codec.Walk) {
	c.Float(&r.Min)
	c.Float(&r.Max)
}

func (l *Line) fields(c *codec.Walk) {
	codec.Text(c, &l.Name)
	codec.Text(c, &l.Label)
	c.Float(&l.LabelX)
	c.Float(&l.LabelY)
	codec.Text(c, &l.Kind)
	codec.Text(c, &l.Look)
	c.FloatList(&l.X)
	c.FloatList(&l.Y)
}

func (m *Marker) fields(c *codec.Walk) {
	c.Float(&m.X)
	c.Float(&m.Y)
	codec.Text(c, &m.Glyph)
	codec.Text(c, &m.Kind)
	codec.Text(c, &m.Text)
	c.Flag(&m.Under)
}

func (r *Rule) fields(c *codec.Walk) {
	c.Float(&r.At)
	c.Flag(&r.Vertical)
	codec.Text(c, &r.Label)
	codec.Text(c, &r.Wide)
	c.Flag(&r.Minor)
}

func (n *Note) fields(c *codec.Walk) {
	codec.Text(c, &n.Text)
	codec.Text(c, &n.Glyph)
	codec.Text(c, &n.Kind)
	c.Flag(&n.Now)
	c.Flag(&n.Dim)
}

func (h *Hint) fields(c *codec.Walk) {
	codec.Text(c, &h.Text)
	codec.Text(c, &h.Command)
}
