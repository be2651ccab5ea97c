package bench

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster/live"
)

// Each row of the applications computes the same result as a single process, and compares with it.
func TestRowsOfApplications(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("multiplies large matrices, as part of make conform")
	}
	rows, err := ApplicationRows(t.Context(), Options{Fabric: live.New(), Machine: thisHost, Rounds: 1, Batch: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, r.Name)
		if !(r.Value > 0) || !(r.Limit > 0) || !(r.Ratio > 0) || !(r.Target > 0) || r.Want == "" || r.Note == "" ||
			r.LimitName == "" {
			t.Errorf("incomplete row %+v", r)
		}
	}
	want := ApplicationNames()
	if _, ok := processorTime(); !ok {
		want = append(want[:3], want[4:]...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-names +rows):\n%s", diff)
	}
	if _, err := ApplicationRows(t.Context(), Options{Fabric: live.New(), Machine: thisHost, Only: []string{"gemm9"}},
		nil); err == nil || !strings.Contains(err.Error(), `unknown row "gemm9"`) {
		t.Errorf("got %v, want an error about gemm9", err)
	}
}
