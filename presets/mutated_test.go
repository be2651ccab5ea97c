package presets

import (
	"os"
	"testing"

	"github.com/hybridtop/hybridtop/internal/hostile"
)

// TestMutatedFigures tests that damaged figure files are decoded, or refused with printable text.
func TestMutatedFigures(t *testing.T) {
	figure, err := os.ReadFile("figures/paper1-fig6.toml")
	if err != nil {
		t.Fatal(err)
	}
	for file, data := range map[string][]byte{"paper1-fig6.toml": figure, "paper9-figure.toml": []byte(aFigure)} {
		valid, n := 0, 0
		for damaged := range hostile.Files(t, data) {
			n++
			f, err := decodeFigure(file, damaged)
			if err != nil {
				hostile.Check(t, "decodeFigure", err.Error())
				continue
			}
			valid++
			checkFigure(t, &f)
		}
		t.Logf("%d of %d files are valid", valid, n)
		if n >= hostile.Batch && (valid == 0 || valid == n) {
			t.Errorf("%d of %d files are valid: want some of both", valid, n)
		}
	}
}
