package collective

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster/codec/codectest"
)

// Recordings contain all fields of Flow and Field.
func TestDrawingsTravel(t *testing.T) {
	codectest.Travels(t, (*Flow).Fields, func(p any) {
		if f, ok := p.(*Flow); ok {
			f.Blocks = len(f.Folds)
		}
	})
	codectest.Travels(t, (*Map).Fields, func(p any) {
		if f, ok := p.(*Map); ok {
			f.Cells = append(f.Cells, f.Cells...)
		}
	})
}
