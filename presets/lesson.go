package presets

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/internal/inputfile"
	"github.com/hybridtop/hybridtop/internal/xdg"
)

//go:embed lessons/*.md
var lessonFiles embed.FS

// Lesson is a lesson from a Markdown file with TOML front matter. It is plain data. Package lesson
// runs its programs and checks its numbers; Wrong adds the position in the file to its errors.
type Lesson struct {
	Name    string // name of the file
	Title   string
	Paper   string // "paper 5, section 6.3"
	Aim     string // what a student can do afterwards
	Minutes int
	Before  []string // lessons to take first
	Words   []Word   // terms and their definitions, in the order of the file
	Runs    []LessonRun
	Steps   []Step // the first one is the introduction

	file string
}

// Word is a term of a lesson.
type Word struct{ Term, Meaning string }

// LessonRun is a named run: a scenario with changed knobs.
type LessonRun struct {
	Name   string
	Preset string
	Knobs  []Knob
	line   int
}

// Step is a heading and its text. If it has a question, the text in Reveal is hidden until the answer.
type Step struct {
	Line    int
	Heading string
	Text    []Paragraph
	Ask     *Ask  // nil: no question
	Show    *Show // nil: no run
	Reveal  []Paragraph
}

// Paragraph is a paragraph of Markdown, in one line.
type Paragraph struct {
	Line    int
	Text    string
	Item    bool // of a list
	Teacher bool // only for teachers
}

// AskKind is the type of an answer.
type AskKind string

// The types of answers.
const (
	AskNumber AskKind = "number"
	AskChoice AskKind = "choice"
	AskPoint  AskKind = "point" // a value on a chart of the shown run
)

// Ask is a question, from a block ask.
type Ask struct {
	Line    int
	Kind    AskKind
	Text    string
	Choices []string // of a choice
	Right   int      // number of the right choice, from 1
	// Expect holds the expectations that the runs must meet if the choice is right. A number or a point has one. Its metric is
	// the answer. A prediction is right if prediction / answer is in its range.
	Expect []Expectation
	Hint   string // "": none
	Why    string // question for the student's confidence; "": the default
}

// Show is the run to show, from a block run.
type Show struct {
	Line    int
	Run     string
	Against string // run to compare with; "": none
	Pane    string // "": the scenario's
	Watch   string // "": no text
}

// LessonSuffix is the ending of a lesson's file.
const LessonSuffix = ".md"

// reservedLessons are the words that follow "hybridtop lesson" and are no lessons.
var reservedLessons = []string{"check", "results"}

// Lessons returns the sorted names of the built-in lessons and the user's.
func Lessons() []string {
	names := lessonNames(lessonFiles.ReadDir("lessons"))
	if dir := xdg.Config("lessons"); dir != "" {
		names = append(names, lessonNames(os.ReadDir(dir))...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func lessonNames(entries []os.DirEntry, err error) []string {
	var names []string
	for _, e := range entries {
		if name := lessonName(e.Name()); err == nil && name != "" && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names
}

// lessonName returns a file's name without .md, or an empty string if the name is invalid.
func lessonName(file string) string {
	name, ok := strings.CutSuffix(path.Base(filepath.ToSlash(file)), LessonSuffix)
	if !ok || len(name) > 40 || !isName(name) || slices.Contains(reservedLessons, name) {
		return ""
	}
	return name
}

// FindLesson returns the lesson with a name. A name that ends in .md is a file. Built-in lessons come first.
func FindLesson(name string) (Lesson, error) {
	if strings.HasSuffix(name, LessonSuffix) {
		return loadLesson(name)
	}
	if data, err := lessonFiles.ReadFile("lessons/" + name + LessonSuffix); err == nil {
		return decodeLesson("lessons/"+name+LessonSuffix, data)
	}
	if dir := xdg.Config("lessons"); dir != "" && slices.Contains(Lessons(), name) {
		return loadLesson(filepath.Join(dir, name+LessonSuffix))
	}
	return Lesson{}, fmt.Errorf("unknown lesson %q: want one of %s", shorten(visible(name)), strings.Join(Lessons(), ", "))
}

func loadLesson(file string) (Lesson, error) {
	data, err := inputfile.Read(file, MaxFile)
	if err != nil {
		return Lesson{}, err
	}
	return decodeLesson(file, data)
}

// Wrong adds the file and a line of it to an error.
func (l *Lesson) Wrong(line int, err error) error {
	return &mistake{file: l.file, line: line, text: visible(err.Error())}
}

// Run returns the run with a name, or nil.
func (l *Lesson) Run(name string) *LessonRun {
	for i := range l.Runs {
		if l.Runs[i].Name == name {
			return &l.Runs[i]
		}
	}
	return nil
}

// Line returns the line of the run in the lesson's file.
func (r *LessonRun) Line() int { return r.line }

// lessonKeys matches the dotted keys of the front matter.
var lessonKeys = regexp.MustCompile(
	`^(title|paper|minutes|aim|before|words(\.[a-z0-9-]{1,40})?|run(\.[a-z0-9-]{1,40}(\.(preset|knobs(\.[a-z0-9-]{1,40})?))?)?)$`)

func suggestLessonKey(key string) string {
	if strings.HasPrefix(key, "run.") {
		return "a run has preset and knobs"
	}
	return "want one of title, paper, minutes, aim, before, words, run"
}

const fence = "+++"

// decodeLesson decodes the bytes of a lesson's file.
func decodeLesson(file string, data []byte) (Lesson, error) {
	l := Lesson{Name: lessonName(file), file: file}
	wrong := func(line int, format string, args ...any) (Lesson, error) {
		return Lesson{}, l.Wrong(line, fmt.Errorf(format, args...))
	}
	if l.Name == "" {
		return wrong(0, "invalid name for a lesson; use lower-case letters, digits and dashes, at most 40, and the ending .md")
	}
	if c := bytes.IndexFunc(data, func(c rune) bool { return c != '\n' && visible(string(c)) != string(c) }); c >= 0 {
		return wrong(1+bytes.Count(data[:c], []byte("\n")), "contains a character that is not printable; leave it out")
	}
	lines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n")
	end := 0
	if lines[0] == fence {
		end = slices.Index(lines[1:], fence) + 1
	}
	if end == 0 {
		return wrong(1, "want front matter between two lines %s", fence)
	}
	front := "\n" + strings.Join(lines[1:end], "\n") // the lines keep their numbers
	d, err := parse(file, []byte(front), lessonKeys.MatchString, suggestLessonKey)
	if err != nil {
		return Lesson{}, err
	}
	r := &figureReader{document: d}
	l.Title = r.words("title", "what the lesson asks")
	l.Paper = r.words("paper", "paper 5, section 6.3")
	l.Aim = r.words("aim", "what a student can do afterwards")
	l.Minutes = r.whole("minutes", 1, 120)
	if r.has("before") {
		l.Before = r.names("before", "lessons to take first")
	}
	for _, key := range r.childKeys("words") {
		l.Words = append(l.Words, Word{Term: strings.ReplaceAll(key, "-", " "), Meaning: r.words("words."+key, "definition")})
	}
	for _, key := range r.childKeys("run") {
		at := "run." + key
		l.Runs = append(l.Runs, LessonRun{Name: key, Preset: r.words(at+".preset", "ft-fig18"), Knobs: r.knobs(at + ".knobs"), line: d.lines[at]})
	}
	if r.err != nil {
		return Lesson{}, r.err
	}
	b := lessonReader{lesson: &l, lines: lines, at: end + 1}
	if err := b.read(); err != nil {
		return Lesson{}, err
	}
	return l, nil
}

// padded returns the text of a block after as many empty lines as precede it in the file.
func padded(text []string, line int) []byte {
	return []byte(strings.Repeat("\n", line) + strings.Join(text, "\n"))
}

var (
	askKeys  = []string{"kind", "text", "choices", "answer", "hint", "why", "expect"}
	showKeys = []string{"show", "against", "pane", "watch"}
)

// ask decodes a block ask.
func (b *lessonReader) ask(text []string, line int) (*Ask, error) {
	d, err := parse(b.lesson.file, padded(text, line), func(key string) bool {
		return slices.Contains(askKeys, key) || answerKey(key)
	}, func(key string) string {
		if strings.HasPrefix(key, "expect.") {
			return "an expectation has metric, relation, range and against"
		}
		return wantOf(askKeys)(key)
	})
	if err != nil {
		return nil, err
	}
	r := &figureReader{document: d}
	a := &Ask{Line: line, Kind: AskKind(r.choice("kind", string(AskNumber), string(AskChoice), string(AskPoint)))}
	a.Text = r.words("text", "How long does a step take, in ms?")
	a.Hint, a.Why = r.words("hint", ""), r.words("why", "")
	for _, key := range []string{"choices", "answer"} {
		switch isChoice := a.Kind == AskChoice; {
		case isChoice && !r.has(key):
			r.wrong(key, "missing; a choice has choices and answer")
		case !isChoice && r.has(key):
			r.wrong(key, "belongs to a choice, not to a %s", a.Kind)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	if a.Kind == AskChoice {
		a.Choices = r.names("choices", "two to six answers, in quotes")
		if n := len(a.Choices); r.err == nil && (n < 2 || n > 6) {
			r.wrong("choices", "has %d answers; want 2 to 6", n)
		}
		a.Right = r.whole("answer", 1, float64(max(1, len(a.Choices))))
	}
	a.Expect = r.answers(a)
	return a, r.err
}

// show decodes a block run.
func (b *lessonReader) show(text []string, line int) (*Show, error) {
	d, err := parse(b.lesson.file, padded(text, line), oneOf(showKeys), wantOf(showKeys))
	if err != nil {
		return nil, err
	}
	r := &figureReader{document: d}
	s := &Show{Line: line, Run: r.words("show", "packed"), Against: r.words("against", ""), Watch: r.words("watch", "")}
	if r.has("pane") {
		s.Pane = r.name("pane", "locality")
	}
	for key, name := range map[string]string{"show": s.Run, "against": s.Against} {
		if name != "" && b.lesson.Run(name) == nil {
			r.wrong(key, "there is no run %s in the front matter", strconv.Quote(shorten(name)))
		}
	}
	return s, r.err
}

func oneOf(keys []string) func(string) bool {
	return func(key string) bool { return slices.Contains(keys, key) }
}

func wantOf(keys []string) func(string) string {
	return func(string) string { return "want one of " + strings.Join(keys, ", ") }
}
