package timeline

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
)

// A view without the only interval of a new chunk can be sent after a view with it. The previous
// chunk was then sent as a full one. The same holds for a view in which that interval begins.
func TestViewWithoutLastStretchIsSent(t *testing.T) {
	rec := NewRecorder(cluster.Layout{Nodes: 1, RanksPerNode: 1, ThreadsPerRank: 1}, false)
	l := rec.Team(0, 1)[0]
	for i := range cluster.Time(2*chunkLength + 1) {
		l.Until(i+1, Activity(i%2), cluster.KindPut, 0)
	}
	shorter := rec.View()
	shorter.Lanes[0].dropLast()
	begun := rec.View() // its last interval begins at the time of the view, and has no end yet
	begun.Lanes[0].end = begun.Lanes[0].chunks[2].begin
	var s Sender
	var r Receiver
	for _, v := range []*View{rec.View(), shorter, begun, rec.View()} {
		c := codec.Encode(nil)
		s.Send(c, v)
		d := codec.Decode(c.Bytes())
		got := r.Receive(d, v.Layout)
		if err := d.End(); err != nil {
			t.Fatal(err)
		}
		a, b := &v.Lanes[0], &got.Lanes[0]
		if a.n != b.n || a.end != b.end || len(a.chunks) != len(b.chunks) || a.Settled() != b.Settled() {
			t.Errorf("%d intervals in the last of %d chunks to %v was received as %d in %d to %v", a.n, len(a.chunks), a.end,
				b.n, len(b.chunks), b.end)
		}
	}
}
