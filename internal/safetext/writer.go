package safetext

import (
	"io"
	"sync"
	"unicode/utf8"
)

// A Writer writes text to another writer, and replaces unsafe characters. Tabs and line feeds
// remain. It is safe for concurrent use.
type Writer struct {
	w io.Writer

	mu   sync.Mutex
	left []byte // the begin of a character that the last Write has cut
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Unwrap returns the writer below, for sequences of the program itself.
func (t *Writer) Unwrap() io.Writer { return t.w }

// Write writes the complete characters of b, and stores the begin of a last incomplete one.
func (t *Writer) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := append(t.left, b...)
	end := len(text)
	for i := end - 1; i >= 0 && i >= end-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				end = i
			}
			break
		}
	}
	t.left = append([]byte(nil), text[end:]...)
	return len(b), t.write(text[:end])
}

// Close writes an incomplete character at the end. It does not close the writer below.
func (t *Writer) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	left := t.left
	t.left = nil
	return t.write(left)
}

func (t *Writer) write(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	_, err := io.WriteString(t.w, clean(string(text), func(r rune) bool { return r != '\t' && isUnsafe(r) }))
	return err
}
