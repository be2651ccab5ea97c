package lesson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/internal/inputfile"
	"github.com/hybridtop/hybridtop/presets"
)

// Answers has a student's answers to the questions of a lesson.
type Answers struct {
	Lesson  string   `json:"lesson"`
	Answers []Answer `json:"answers"`
}

// Answer is an answer to a question.
type Answer struct {
	Question   string          `json:"question"` // heading of the step
	Kind       presets.AskKind `json:"kind"`
	Prediction float64         `json:"prediction"` // number of the choice, or a value in SI base units
	Result     float64         `json:"result"`
	Confidence int             `json:"confidence"` // 1: a guess, 2: fairly certain, 3: sure
	Right      bool            `json:"right"`
	First      *Vote           `json:"first,omitempty"` // the answer before talking with neighbours; nil: none
}

// Vote is an earlier answer to a question.
type Vote struct {
	Prediction float64 `json:"prediction"`
	Confidence int     `json:"confidence"`
}

func (a *Answers) find(question string) *Answer {
	for i := range a.Answers {
		if a.Answers[i].Question == question {
			return &a.Answers[i]
		}
	}
	return nil
}

func (a *Answers) put(x Answer) {
	if old := a.find(x.Question); old != nil {
		*old = x
		return
	}
	a.Answers = append(a.Answers, x)
}

// Limits of a file of answers.
const (
	maxAnswersFile = 1 << 20
	maxAnswers     = 100
)

// Encode returns the file of answers.
func (a *Answers) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(a, "", "  ")
	return append(text, '\n'), err
}

// ReadAnswers reads a file of answers.
func ReadAnswers(file string) (Answers, error) {
	data, err := inputfile.Read(file, maxAnswersFile)
	if err != nil {
		return Answers{}, err
	}
	a, err := decodeAnswers(data)
	if err != nil {
		return a, fmt.Errorf("%s: %w", file, err)
	}
	return a, nil
}

func decodeAnswers(data []byte) (Answers, error) {
	var a Answers
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return Answers{}, fmt.Errorf("not a file of answers: %w", err)
	}
	if d.More() || len(a.Answers) > maxAnswers {
		return Answers{}, fmt.Errorf("want the answers of one lesson, at most %d", maxAnswers)
	}
	for i, x := range a.Answers {
		if !slices.Contains([]presets.AskKind{presets.AskNumber, presets.AskChoice, presets.AskPoint}, x.Kind) {
			return Answers{}, fmt.Errorf("answer %d: kind %q: want number, choice or point", i+1, x.Kind)
		}
		votes := []Vote{{x.Prediction, x.Confidence}}
		if x.First != nil {
			votes = append(votes, *x.First)
		}
		for _, v := range votes {
			switch {
			case v.Confidence < 1 || v.Confidence > 3:
				return Answers{}, fmt.Errorf("answer %d: confidence %d: want 1, 2 or 3", i+1, v.Confidence)
			case !(v.Prediction > 0) || !(x.Result > 0):
				return Answers{}, fmt.Errorf("answer %d: want a positive prediction and result", i+1)
			}
		}
	}
	return a, nil
}

// Tally counts the answers to a question.
type Tally struct {
	Question  string
	Kind      presets.AskKind
	Answers   int
	Right     int
	SureWrong int         // wrong answers with confidence 3
	Choices   map[int]int // answers by choice
	Factor    float64     // median factor between prediction and result; NaN: a choice
	factors   []float64
}

// Count counts the answers of several students to each question of a lesson, in the order of its questions in the files.
func Count(all []Answers) []Tally {
	var out []Tally
	for i := range all {
		for _, x := range all[i].Answers {
			at := slices.IndexFunc(out, func(t Tally) bool { return t.Question == x.Question })
			if at < 0 {
				at = len(out)
				out = append(out, Tally{Question: x.Question, Kind: x.Kind, Choices: map[int]int{}, Factor: math.NaN()})
			}
			t := &out[at]
			t.Answers++
			switch {
			case x.Right:
				t.Right++
			case x.Confidence == 3:
				t.SureWrong++
			}
			if x.Kind == presets.AskChoice {
				t.Choices[int(x.Prediction)]++
			} else {
				t.factors = append(t.factors, Factor(x.Prediction, x.Result))
			}
		}
	}
	for i := range out {
		if f := out[i].factors; len(f) > 0 {
			slices.Sort(f)
			out[i].Factor = (f[(len(f)-1)/2] + f[len(f)/2]) / 2
		}
	}
	return out
}
