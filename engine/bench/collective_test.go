package bench

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster/live"
)

// Each row checks the result of its call, and its time beyond the barrier is not negative.
func TestRowsOfCollectives(t *testing.T) {
	if testing.Short() {
		t.Skip("measures every collective")
	}
	only := []string{}
	for _, name := range CollectiveNames() {
		if collectiveLine(name) == "" {
			t.Errorf("%s has no value of the programs", name)
		}
		if k := name[len(name)-1]; k == '2' || k == '8' {
			only = append(only, name)
		}
	}
	rows, err := CollectiveRows(t.Context(),
		Options{Fabric: live.New(), Machine: thisHost, Rounds: 1, Batch: 1, Only: only}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(only) || len(rows) != 12 {
		t.Fatalf("%d rows, want %d", len(rows), len(only))
	}
	for i, r := range rows {
		if r.Name != only[i] || !(r.Value > 0) || !(r.Limit > 0) || r.Want == "" || r.Note == "" {
			t.Errorf("row %+v", r)
		}
	}
	if _, err := CollectiveRows(t.Context(), Options{Fabric: live.New(), Machine: thisHost, Only: []string{"bcast9"}},
		nil); err == nil {
		t.Error("a row that is not there is measured")
	}
}

func TestLinesOfCollectives(t *testing.T) {
	for row, want := range map[string]string{
		"bcast8_2": "np2_bcast_8B_apart", "alltoall4096_64_row": "np64_alltoall_4K",
		"allreduce65536_8": "np8_allreduce_64K_apart", "barrier64": "", "bcast8_3": "",
	} {
		if got := collectiveLine(row); got != want {
			t.Errorf("%s compares with %q, want %q", row, got, want)
		}
	}
}
