package host

import "testing"

func TestListsOfCores(t *testing.T) {
	for list, want := range map[string]int{"0": 1, "0-1": 2, "0-3,6,8-9": 7, "": 0, "3-1": 0, "a": 0, "0-": 0, "-1": 0} {
		if got := countList(list); got != want {
			t.Errorf("%q: %d cores, want %d", list, got, want)
		}
	}
	if Cores() < 1 {
		t.Error("a host without cores")
	}
}
