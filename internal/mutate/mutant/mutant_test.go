package mutant

import (
	"os"
	"path/filepath"
	"testing"
)

// set applies a mutation until the test ends.
func set(t *testing.T, text string) {
	wasActive, wasExecuted := active, executed
	active, executed = read(text)
	t.Cleanup(func() {
		if executed != nil {
			executed.Close()
		}
		active, executed = wasActive, wasExecuted
	})
}

// TestOneMutationIsApplied tests that a function changes its result only for the number of the applied mutation.
func TestOneMutationIsApplied(t *testing.T) {
	set(t, "7")
	for id, applied := range map[int]bool{6: false, 7: true} {
		if got := Condition(id, true); got == applied {
			t.Errorf("mutation 7: condition %d is %t", id, got)
		}
		if got := Calls(id); got == applied {
			t.Errorf("mutation 7: call %d runs: %t", id, got)
		}
		if got := Index(id, 3, -1); (got == 2) != applied {
			t.Errorf("mutation 7: index %d is %d", id, got)
		}
		if got := Constant(id, 1.5, 2.5); (got == 2.5) != applied {
			t.Errorf("mutation 7: constant %d is %g", id, got)
		}
	}
}

// TestExecutedPlacesAreWritten tests that a file gets each executed place once, and that the program is unchanged.
func TestExecutedPlacesAreWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "executed")
	set(t, path)
	for range 2 {
		if !Condition(3, true) || !Calls(5) || Index(3, 1, 1) != 1 {
			t.Error("a mutation is applied")
		}
	}
	if text, err := os.ReadFile(path); string(text) != "3\n5\n" {
		t.Errorf("executed places: %q, %v; want 3 and 5", text, err)
	}
}
