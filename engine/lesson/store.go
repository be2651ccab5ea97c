package lesson

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/internal/safetext"
	"github.com/hybridtop/hybridtop/internal/xdg"
	"github.com/hybridtop/hybridtop/presets"
)

// StoredFile returns the default file for the answers to a lesson, or "" if the system has no folder for it.
func StoredFile(name string) string { return xdg.State("lessons", name+".json") }

// Save writes the answers to a file. It creates the folder of a default file.
func (a *Answers) Save(ctx context.Context, file string) error {
	if file == StoredFile(a.Lesson) {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
	}
	text, err := a.Encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(ctx, file, text)
}

// EarlierAnswers reads the answers to a lesson. A file that does not exist has none.
func EarlierAnswers(l *presets.Lesson, file string) (Answers, error) {
	if _, err := os.Lstat(file); err != nil {
		return Answers{}, nil
	}
	a, err := ReadAnswers(file)
	if err != nil {
		return a, fmt.Errorf("%w (--again starts at the first step)", err)
	}
	if a.Lesson != l.Name {
		return a, fmt.Errorf("%s: has answers to the lesson %q, want %s (use another file)", file, safetext.Clean(a.Lesson), l.Name)
	}
	return a, nil
}
