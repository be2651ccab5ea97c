package engine

import (
	"errors"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// version is the number of the format below. It increases with every field that is added,
// removed or moved. Decode reads an older version if the missing fields can be computed.
const (
	version       = 11
	oldest        = 6
	countedSince  = 7
	drawingsSince = 8 // before: three drawings as fields
	sizeOnlySince = 9
	jobSince      = 10
	sharedSince   = 11
)

// magic is the start of an encoded snapshot.
const magic = "htsn"

// An Encoder encodes the snapshots of a session, in order, for one Decoder. It sends finished
// parts of a timeline only once. The zero Encoder is ready to use.
type Encoder struct{ timeline timeline.Sender }

// Append appends the encoded snapshot to b.
func (e *Encoder) Append(b []byte, s *Snapshot) []byte {
	c := codec.Encode(append(append(b, magic...), version))
	s.fields(c, studies)
	codec.Integer(c, &s.Counted)
	codec.Maybe(c, &s.SizeOnly, (*SizeOnly).fields)
	codec.Maybe(c, &s.Job, (*Job).fields)
	if s.Job != nil {
		c.Flag(&s.Job.Shared)
	}
	there := s.Timeline != nil
	if c.Flag(&there); there {
		e.timeline.Send(c, s.Timeline)
	}
	return c.Bytes()
}

// A Decoder decodes all snapshots of one Encoder, in order. Do not use it after an error.
type Decoder struct{ timeline timeline.Receiver }

// Decode decodes a snapshot.
func (d *Decoder) Decode(b []byte) (*Snapshot, error) {
	if len(b) <= len(magic) || string(b[:len(magic)]) != magic {
		return nil, errors.New("not a hybridtop snapshot")
	}
	v := b[len(magic)]
	if v < oldest || v > version {
		return nil, fmt.Errorf("snapshot of version %d: want version %d to %d", v, oldest, version)
	}
	c := codec.Decode(b[len(magic)+1:])
	s := new(Snapshot)
	views := studies
	if v < drawingsSince {
		views = studiesBefore
	}
	s.fields(c, views)
	s.Counted = s.Iteration
	if v >= countedSince {
		codec.Integer(c, &s.Counted)
	}
	if v >= sizeOnlySince {
		codec.Maybe(c, &s.SizeOnly, (*SizeOnly).fields)
	}
	if v >= jobSince {
		codec.Maybe(c, &s.Job, (*Job).fields)
	}
	if v >= sharedSince && s.Job != nil {
		c.Flag(&s.Job.Shared)
	}
	var there bool
	if c.Flag(&there); there {
		s.Timeline = d.timeline.Receive(c, s.Layout)
	}
	if err := c.End(); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return s, nil
}

// Encoders of list elements.
var (
	texts         = codec.PartOf(func(p *string, c *codec.Walk) { codec.Text(c, p) })
	integerLists  = codec.PartOf(codec.IntegerList)
	knobs         = codec.PartOf((*Knob).fields)
	offers        = codec.PartOf((*Offer).fields)
	rankViews     = codec.PartOf((*RankView).fields)
	samples       = codec.PartOf((*Sample).fields)
	marks         = codec.PartOf((*Mark).fields)
	buckets       = codec.PartOf((*Bucket).fields)
	distributions = codec.PartOf((*Distribution).fields)
	tables        = codec.PartOf((*Table).fields)
	profiles      = codec.PartOf((*Profile).fields)
	ranked        = codec.PartOf((*Ranked).fields)
	metrics       = codec.PartOf((*Metric).fields)
)

// fields encodes or decodes all fields of a snapshot except Counted, SizeOnly, Job and Timeline,
// which follow them.
func (s *Snapshot) fields(c *codec.Walk, studies codec.Part[StudyView]) {
	c.Natural(&s.Seq)
	codec.Text(c, &s.Phase)
	s.Scenario.fields(c)
	layout(&s.Layout, c)
	codec.Text(c, &s.Machine)
	codec.Text(c, &s.Kind)
	c.Float(&s.Dilation)
	codec.Text(c, &s.Keeping)
	codec.Integer(c, &s.Elapsed)
	codec.Integer(c, &s.Fabric)
	codec.Integer(c, &s.Iteration)
	s.Progress.fields(c)
	c.FloatList(&s.IterationTimes)
	codec.List(c, &s.Ranks, rankViews)
	codec.List(c, &s.Series, samples)
	codec.List(c, &s.Marks, marks)
	for i := range s.Latency {
		s.Latency[i].fields(c)
	}
	codec.List(c, &s.Samples, distributions)
	codec.List(c, &s.Tallies, tables)
	codec.List(c, &s.Profiles, profiles)
	codec.List(c, &s.Ranked, ranked)
	for i := range s.Accesses {
		s.Accesses[i].fields(c)
	}
	traffic(&s.Traffic, c)
	codec.List(c, &s.NodePairs, integerLists)
	s.Recent.fields(c)
	codec.Integer(c, &s.MemoryPerNode)
	codec.Integer(c, &s.Replicas)
	codec.List(c, &s.Metrics, metrics)
	s.Verification.fields(c)
	codec.List(c, &s.Studies, studies)
	codec.Text(c, &s.LaunchLine)
	codec.Text(c, &s.Failure)
	codec.Maybe(c, &s.Deadlock, (*Deadlock).fields)
	codec.List(c, &s.Warnings, texts)
	codec.Maybe(c, &s.Virtual, (*Virtual).fields)
	codec.Text(c, &s.Why)
	codec.Text(c, &s.Change)
}

func (d *SizeOnly) fields(c *codec.Walk) {
	codec.Integer(c, &d.Bytes)
	codec.Integer(c, &d.Limit)
}

func (j *Job) fields(c *codec.Walk) {
	codec.Text(c, &j.Library)
	codec.Integer(c, &j.Processes)
}

func (p *Progress) fields(c *codec.Walk) {
	codec.Integer(c, &p.Spent)
	c.Float(&p.Share)
	codec.Integer(c, &p.Left)
	codec.Integer(c, &p.Clock)
	c.Natural(&p.Events)
}

func (s *Scenario) fields(c *codec.Walk) {
	codec.Text(c, &s.Workload)
	codec.List(c, &s.Table, knobs)
	c.Values(&s.Values)
}

func (k *Knob) fields(c *codec.Walk) {
	codec.Text(c, &k.Name)
	codec.Text(c, &k.Alias)
	codec.Text(c, &k.Label)
	codec.Text(c, &k.Doc)
	codec.Text(c, &k.Type)
	codec.Text(c, &k.Unit)
	codec.Text(c, &k.Default)
	c.Float(&k.Min)
	c.Float(&k.Max)
	codec.List(c, &k.Choices, texts)
	codec.Text(c, &k.By)
	codec.List(c, &k.Offers, offers)
	c.Values(&k.Blocked)
	codec.Text(c, &k.Scope)
	codec.Text(c, &k.Role)
	codec.Text(c, &k.Watch)
	codec.Text(c, &k.Paper)
}

func (o *Offer) fields(c *codec.Walk) {
	codec.Text(c, &o.Value)
	codec.List(c, &o.Choices, texts)
}

func layout(l *cluster.Layout, c *codec.Walk) {
	codec.Integer(c, &l.Nodes)
	codec.Integer(c, &l.RanksPerNode)
	codec.Integer(c, &l.ThreadsPerRank)
	codec.Text(c, &l.Ranking)
	codec.Text(c, &l.Model)
	codec.Integer(c, &l.Group)
	c.Natural(&l.WorldSeed)
}

func (r *Recent) fields(c *codec.Walk) {
	codec.Integer(c, &r.Span)
	for i := range r.Class {
		codec.Integer(c, &r.Class[i])
	}
	codec.Integer(c, &r.Nodes)
	codec.IntegerList(&r.Pairs, c)
}

func (r *RankView) fields(c *codec.Walk) {
	codec.Integer(c, &r.Node)
	codec.Integer(c, &r.Group)
	codec.Below(c, &r.State, cluster.States)
	c.Floats(r.Share[:])
}

func (s *Sample) fields(c *codec.Walk) {
	codec.Integer(c, &s.At)
	codec.Integer(c, &s.Fabric)
	c.Floats(s.Rate[:])
	c.Floats(s.Ops[:])
	c.Float(&s.Local)
	c.Float(&s.Access)
}

func (m *Mark) fields(c *codec.Walk) {
	codec.Integer(c, &m.At)
	codec.Text(c, &m.Label)
	c.Flag(&m.NewWorkload)
}

func (q *Quantiles) fields(c *codec.Walk) {
	codec.Integer(c, &q.Count)
	c.Float(&q.Mean)
	c.Float(&q.Min)
	c.Float(&q.P50)
	c.Float(&q.P99)
	c.Float(&q.Max)
	codec.List(c, &q.Buckets, buckets)
}

func (b *Bucket) fields(c *codec.Walk) {
	c.Float(&b.Upper)
	codec.Integer(c, &b.Count)
}

func (d *Distribution) fields(c *codec.Walk) {
	codec.Text(c, &d.Name)
	codec.Text(c, &d.Unit)
	codec.Text(c, &d.Kind)
	d.Quantiles.fields(c)
}

func (t *Table) fields(c *codec.Walk) {
	codec.Text(c, &t.Name)
	codec.Text(c, &t.Title)
	codec.Text(c, &t.Unit)
	c.Float(&t.Each)
	codec.Text(c, &t.Kind)
	codec.Text(c, &t.Shape)
	codec.Text(c, &t.Row)
	codec.Text(c, &t.Column)
	codec.List(c, &t.Rows, texts)
	codec.List(c, &t.Columns, texts)
	codec.Text(c, &t.Layer)
	codec.List(c, &t.Layers, texts)
	if codec.IntegerList(&t.Counts, c); len(t.Counts) != max(len(t.Layers), 1)*len(t.Rows)*len(t.Columns) {
		c.Fail(fmt.Errorf("table %q: %d × %d × %d cells, but %d counts", t.Name, max(len(t.Layers), 1), len(t.Rows),
			len(t.Columns), len(t.Counts)))
	}
}

func (p *Profile) fields(c *codec.Walk) {
	codec.Text(c, &p.Name)
	codec.Text(c, &p.Title)
	codec.Text(c, &p.Unit)
	codec.Text(c, &p.Kind)
	codec.Text(c, &p.Over)
	c.FloatList(&p.Values)
}

func (r *Ranked) fields(c *codec.Walk) {
	r.Metric.fields(c)
	c.FloatList(&r.Values)
}

func (a *Accesses) fields(c *codec.Walk) {
	codec.Integer(c, &a.Count)
	codec.Integer(c, &a.Time)
}

func traffic(t *cluster.Traffic, c *codec.Walk) {
	for i := range t.Ops {
		codec.Integer(c, &t.Ops[i])
		codec.Integer(c, &t.Bytes[i])
	}
	codec.IntegerList(&t.Nodes, c)
}

func (m *Metric) fields(c *codec.Walk) {
	codec.Text(c, &m.Name)
	c.Float(&m.Value)
	codec.Text(c, &m.Unit)
	codec.Text(c, &m.Kind)
}

func (v *Verification) fields(c *codec.Walk) {
	c.Flag(&v.Done)
	c.Flag(&v.OK)
	codec.Integer(c, &v.Checks)
	codec.Text(c, &v.Detail)
}

func (v *Virtual) fields(c *codec.Walk) {
	c.Natural(&v.Hash)
	codec.Integer(c, &v.Time)
	c.Natural(&v.Events)
	c.Flag(&v.Whole)
	c.Flag(&v.Timed)
}
