package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine/lesson"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/internal/safetext"
	"github.com/hybridtop/hybridtop/presets"
)

// maxTyped is the maximum length of a line that a student types.
const maxTyped = 1000

// answersFile returns the file for the answers to a lesson, or "" if the system has no folder for it.
func answersFile(cmd *cobra.Command, name, given string) (string, error) {
	if cmd.Flags().Changed("answers") {
		if given == "" {
			return "", fmt.Errorf("--answers: want a file")
		}
		return given, atomicfile.CheckTarget(given)
	}
	return lesson.StoredFile(name), nil
}

// playLesson plays a lesson on standard input and output.
func playLesson(cmd *cobra.Command, l *presets.Lesson, r lesson.Results, file string, again, twice bool) error {
	var earlier lesson.Answers
	if !again {
		var err error
		if earlier, err = lesson.EarlierAnswers(l, file); err != nil {
			return err
		}
	}
	w := cmd.OutOrStdout()
	p := lesson.NewPlayer(l, r, earlier, twice)
	if len(earlier.Answers) == 0 {
		fmt.Fprintf(w, "%s, about %d minutes. Aim: %s\n\n", l.Paper, l.Minutes, l.Aim)
	}
	typed := bufio.NewScanner(cmd.InOrStdin())
	typed.Buffer(make([]byte, 0, maxTyped), maxTyped)
	for shown := lesson.Stage(-1); ; {
		if p.Stage() != lesson.Sure || shown != lesson.Predicting {
			for _, line := range p.Lines(lesson.Width) {
				fmt.Fprintln(w, line)
			}
		}
		shown = p.Stage()
		if shown == lesson.Over {
			return nil
		}
		fmt.Fprintf(w, "\n%s> ", p.Prompt())
		if !typed.Scan() {
			fmt.Fprintln(w)
			return typed.Err()
		}
		line := strings.TrimSpace(typed.Text())
		fmt.Fprintln(w)
		if line == "q" {
			return nil
		}
		if err := p.Take(line); err != nil {
			fmt.Fprintln(w, safetext.Clean(err.Error()))
			continue
		}
		if shown == lesson.Sure && file != "" {
			if err := p.Answers.Save(cmd.Context(), file); err != nil {
				return err
			}
		}
	}
}

func newLessonResults() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "results FILE...",
		Short: "count the answers of a class",
		Long: "Count the answers in files that lesson --answers wrote. Each question has its answers, right answers, and wrong " +
			"answers with confidence 3. A choice has the count of each choice. A number has the median factor between prediction and " +
			"result. The bar has # for a right answer and - for a wrong one.",
		Example: "hybridtop lesson results *.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("lesson results: want files of answers (hybridtop lesson NAME --answers FILE writes one)")
			}
			return nil
		},
	}
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var all []lesson.Answers
		for _, file := range args {
			a, err := lesson.ReadAnswers(file)
			if err != nil {
				return err
			}
			if len(all) > 0 && a.Lesson != all[0].Lesson {
				return fmt.Errorf("%s: lesson %q, want %q as in %s", file, a.Lesson, all[0].Lesson, args[0])
			}
			all = append(all, a)
		}
		l := listing{what: "questions", columns: []string{"question", "answers", "right", "sure_and_wrong", "choices", "factor", "chart"}}
		for _, t := range lesson.Count(all) {
			e := entry{{"question", t.Question}, {"answers", t.Answers}, {"right", t.Right}, {"sure_and_wrong", t.SureWrong}}
			if t.Kind == presets.AskChoice {
				var choices []string
				for c := 1; c <= 6; c++ {
					if n := t.Choices[c]; n > 0 {
						choices = append(choices, fmt.Sprintf("%d: %d", c, n))
					}
				}
				e = append(e, field{"choices", strings.Join(choices, ", ")})
			} else {
				e = append(e, field{"factor", fmt.Sprintf("%.3g", t.Factor)})
			}
			const most = 40 // characters of a bar
			right, wrong := t.Right, t.Answers-t.Right
			if t.Answers > most {
				right, wrong = t.Right*most/t.Answers, most-t.Right*most/t.Answers
			}
			l.entries = append(l.entries, append(e, field{"chart", strings.Repeat("#", right) + strings.Repeat("-", wrong)}))
		}
		return l.write(cmd.OutOrStdout(), out)
	}
	return cmd
}
