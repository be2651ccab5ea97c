package presets

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/internal/inputfile"
)

//go:embed questions/*.toml
var questionFiles embed.FS

var questionCatalog = catalog{folder: "questions", what: "question", files: &questionFiles, load: func(file string) error {
	_, err := loadQuestion(file)
	return err
}}

// Question is a question that users of MPI have asked in public, with the runs that answer it. It is
// plain data from a file.
type Question struct {
	Number    int
	Threads   []string // addresses of the discussions
	Turn      []string // knobs that the user changes
	Finding   string   // the answer that the expectations check
	Published []Reading
	Scenario  Scenario // its title is the question, and its name is the name of the file
}

// Reading is a number from a discussion.
type Reading struct {
	Value  float64
	Unit   string
	Of     string
	Source string // address
}

var (
	questionHeads  = []string{"number", "question", "threads", "scenario", "workload", "pane", "turn", "finding", "knobs", "published", "expect"}
	publishedParts = []string{"value", "unit", "of", "source"}
)

// maxQuestion is the largest number of a question.
const maxQuestion = 999

func questionKey(key string) bool {
	p := strings.Split(key, ".")
	switch {
	case p[0] == "expect":
		return expectationKey(key)
	case p[0] == "published" && len(p) > 1:
		_, err := strconv.Atoi(p[1])
		return err == nil && (len(p) == 2 || len(p) == 3 && slices.Contains(publishedParts, p[2]))
	case p[0] == "knobs" && len(p) > 1:
		return len(p) == 2 && isName(p[1])
	}
	return len(p) == 1 && slices.Contains(questionHeads, p[0])
}

func suggestQuestionKey(key string) string {
	switch {
	case strings.HasPrefix(key, "published."):
		return "a table [[published]] has " + strings.Join(publishedParts, ", ")
	case strings.HasPrefix(key, "expect."), strings.HasPrefix(key, "knobs."):
		return suggestScenarioKey(key)
	}
	return "want one of " + strings.Join(questionHeads, ", ")
}

// Questions returns the built-in questions and the user's, sorted by number, and an error for each file
// that is skipped.
func Questions() (all []Question, skipped []error) {
	names, without := questionCatalog.userFiles()
	for _, s := range without {
		skipped = append(skipped, s.Err)
	}
	for _, name := range slices.Concat(questionCatalog.builtIn(), names) {
		q, err := namedQuestion(name)
		if err != nil {
			skipped = append(skipped, err)
			continue
		}
		all = append(all, q)
	}
	slices.SortStableFunc(all, func(a, b Question) int { return a.Number - b.Number })
	return all, skipped
}

// FindQuestion returns the question with a name or a number. A name that ends in .toml is a file.
func FindQuestion(name string) (Question, error) {
	if strings.HasSuffix(name, ".toml") {
		return loadQuestion(name)
	}
	if n, err := strconv.Atoi(name); err == nil {
		all, _ := Questions()
		if i := slices.IndexFunc(all, func(q Question) bool { return q.Number == n }); i >= 0 {
			return all[i], nil
		}
	}
	file, data, err := questionCatalog.find(name)
	switch {
	case file == "":
		return Question{}, unknownQuestion(name)
	case err != nil:
		return Question{}, err
	}
	return decodeQuestion(file, data)
}

// unknownQuestion returns the error for a name or number that no question has. It lists both.
func unknownQuestion(name string) error {
	all, _ := Questions()
	var known []string
	for i := range all {
		known = append(known, fmt.Sprintf("%d %s", all[i].Number, all[i].Scenario.Name))
	}
	return questionCatalog.unknown(name, "the number or name of one of", known)
}

func namedQuestion(name string) (Question, error) {
	file, data, err := questionCatalog.find(name)
	if err != nil {
		return Question{}, err
	}
	return decodeQuestion(file, data)
}

func loadQuestion(file string) (Question, error) {
	data, err := inputfile.Read(file, MaxFile)
	if err != nil {
		return Question{}, err
	}
	return decodeQuestion(file, data)
}

// decodeQuestion decodes the bytes of a question's file.
func decodeQuestion(file string, data []byte) (Question, error) {
	var q Question
	s := &q.Scenario
	s.Name = fileName(file)
	if s.Name == "" {
		return Question{}, &mistake{file: file, text: "invalid name for a question; use lower-case letters, digits and " +
			"dashes, at most 40, and the ending .toml"}
	}
	d, err := parse(file, bytes.TrimPrefix(data, []byte("\ufeff")), questionKey, suggestQuestionKey)
	if err != nil {
		return Question{}, err
	}
	r := &figureReader{document: d}
	q.Number = r.whole("number", 1, maxQuestion)
	s.Title = r.words("question", "What does it cost?")
	for _, address := range r.names("threads", "addresses of discussions, in quotes") {
		q.Threads = append(q.Threads, r.address("threads", address))
	}
	q.Turn = r.names("turn", "names of knobs, in quotes")
	q.Finding = r.words("finding", "the answer, with its numbers")
	r.questionRuns(s)
	if r.has("published") {
		q.Published = r.readings()
	}
	if r.err != nil {
		return Question{}, r.err
	}
	s.FirstKnob = q.Turn[0]
	s.Watch = "Change " + strings.Join(q.Turn, ", ") + "."
	s.Steps = []string{"The answer: " + q.Finding}
	s.document = d
	return q, nil
}

// questionRuns reads the scenario of a question: a named one with changes, or its own.
func (r *figureReader) questionRuns(s *Scenario) {
	if r.has("scenario") {
		if r.has("workload") {
			r.wrong("workload", "belongs to the scenario %s; use one of them", r.words("scenario", ""))
		}
		name := r.name("scenario", "eager-deadlock")
		if r.err != nil {
			return
		}
		of, err := FindScenario(name)
		if err != nil {
			r.wrong("scenario", "%s", visible(err.Error()))
			return
		}
		s.Workload, s.Pane, s.Knobs = of.Workload, of.Pane, of.Knobs
	} else {
		s.Workload = r.name("workload", "collective")
	}
	if r.has("pane") {
		s.Pane = r.name("pane", "why")
	}
	for _, k := range r.knobs("knobs") {
		s.Knobs = slices.DeleteFunc(s.Knobs, func(old Knob) bool { return old.Name == k.Name })
		s.Knobs = append(s.Knobs, k)
	}
	s.Expect = r.expectations()
	if len(s.Expect) == 0 {
		r.wrong("expect", "missing; add a table [[expect]] with metric, relation and range")
	}
}

// readings reads the tables [[published]].
func (r *figureReader) readings() []Reading {
	if _, ok := r.lines["published.1"]; !ok {
		r.wrong("published", "want tables [[published]], at most %d", maxFigure)
		return nil
	}
	var all []Reading
	for i := range r.list("published", maxFigure, "tables [[published]]") {
		at := "published." + strconv.Itoa(i+1) + "."
		v, _ := r.at(at + "value")
		x := Reading{Value: r.number(at+"value", v, -maxNumber, maxNumber), Unit: r.words(at+"unit", "s"),
			Of: r.words(at+"of", "what was measured")}
		x.Source = r.address(at+"source", r.words(at+"source", "https://github.com/open-mpi/ompi/issues/12550"))
		all = append(all, x)
	}
	return all
}

// address returns s if it is a web address.
func (r *figureReader) address(key, s string) string {
	if r.err == nil && (!strings.HasPrefix(s, "https://") || strings.ContainsAny(s, " \t\"<>")) {
		r.wrong(key, "is %q; want an address that begins with https://", shorten(s))
	}
	return s
}
