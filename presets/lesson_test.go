package presets

import (
	"strings"
	"testing"
	"unicode"
)

const soundLesson = "+++\ntitle = \"T\"\npaper = \"paper 1\"\nminutes = 5\naim = \"A\"\nwords = { a-b = \"c\" }\n[run.a]\npreset = \"p\"\n" +
	"knobs = { n = 1 }\n+++\n# T\n\nText [1 s](#a.b) *x* **y** `z`.\n\n- item\n\n## S\n```run\nshow = \"a\"\n```\n\n```ask\nkind = \"number\"\n" +
	"text = \"How long, in ms?\"\n\n[[expect]]\nmetric = \"a.b\"\nrelation = \"times\"\nrange = [0.9, 1.1]\n```\n\n**Reveal.** So.\n\n> **Teacher.** Ask.\n"

// TestLessonFile decodes a lesson.
func TestLessonFile(t *testing.T) {
	l, err := decodeLesson("fuzz.md", []byte(soundLesson))
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Steps) != 2 || l.Steps[1].Ask == nil || l.Steps[1].Ask.Line != 22 || l.Steps[1].Show == nil || l.Words[0].Term != "a b" ||
		len(l.Steps[0].Text) != 2 || !l.Steps[0].Text[1].Item || len(l.Steps[1].Reveal) != 2 || !l.Steps[1].Reveal[1].Teacher {
		t.Errorf("lesson %+v", l)
	}
}

// FuzzLesson decodes files. An error begins with the file and has no control characters. The spans of an accepted
// paragraph have its text.
func FuzzLesson(f *testing.F) {
	f.Add([]byte(soundLesson))
	f.Add([]byte("+++\n+++\n# \x1b"))
	f.Add([]byte(strings.Replace(soundLesson, "Text", "[a](b(c)(", 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := decodeLesson("fuzz.md", data)
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "fuzz.md:") || strings.ContainsFunc(text, unicode.IsControl) {
				t.Errorf("error %q: want the file first and no control characters", text)
			}
			return
		}
		for _, s := range l.Steps {
			for _, p := range append(s.Text, s.Reveal...) {
				spans, err := Spans(p.Text)
				if err != nil {
					t.Fatalf("accepted paragraph %q: %v", p.Text, err)
				}
				length := 0
				for _, x := range spans {
					length += len(x.Text) + len(x.Target)
				}
				if length > len(p.Text) {
					t.Errorf("spans of %q have %d bytes: want at most %d", p.Text, length, len(p.Text))
				}
			}
		}
	})
}
