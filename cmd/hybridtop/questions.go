package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/xdg"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/state"
)

func newQuestions() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "questions [NAME|NUMBER]...",
		Short: "answer questions that users of MPI have asked",
		Long: "List questions that users of MPI have asked in public. With a name or a number the command opens the screen " +
			"with the runs of the question. With --text, or if standard input or output is not a terminal, it simulates the runs, and prints the " +
			"question, the runs and the answer.\n\nWith --check it simulates all questions, or the named ones, and compares each " +
			"run with its range. The exit status is 0 if all results are in their ranges.\n\n" +
			"Your own questions are files in ~/.config/hybridtop/questions (CONTRIBUTING.md).",
		Example:           "hybridtop questions\nhybridtop questions 14\nhybridtop questions ring-or-tree --text\nhybridtop questions --check",
		ValidArgsFunction: completeQuestions,
	}
	out := addFormat(cmd)
	asText := cmd.Flags().Bool("text", false, "print the question, its runs and the answer")
	check := cmd.Flags().Bool("check", false, "compare the runs of questions with their ranges")
	cmd.MarkFlagsMutuallyExclusive("text", "check")
	screen := addScreenFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		all, err := chosenQuestions(cmd, args)
		switch {
		case err != nil:
			return err
		case *check:
			return checkQuestions(cmd, all, out)
		case len(args) == 0 && *asText:
			return fmt.Errorf("questions --text: want the name or number of a question (hybridtop questions lists them)")
		case len(args) == 0:
			return listQuestions(all).write(cmd.OutOrStdout(), out)
		case len(args) > 1:
			return fmt.Errorf("questions: want one name or number, or --check, got %d names", len(args))
		}
		q := &all[0]
		if *asText || out.json || out.csv || !onTerminal() {
			return printQuestion(cmd, q, out)
		}
		sc, err := session.FromPreset(&q.Scenario)
		if err == nil {
			err = checkPreset(&q.Scenario)
		}
		if err != nil {
			return err
		}
		o := screen()
		_, kept := state.Open(xdg.Config(), xdg.State())
		o.Kept = state.Kept{Theme: kept.Theme, Units: kept.Units, Mouse: kept.Mouse}
		o.Scenario, o.Pane = &q.Scenario, q.Scenario.Pane
		return openScreen(cmd, sc, session.Options{Fabrics: session.Fabrics(), Linger: true}, o, false)
	}
	return cmd
}

func completeQuestions(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	all, _ := presets.Questions()
	var names []string
	for i := range all {
		names = append(names, cobra.CompletionWithDesc(all[i].Scenario.Name, all[i].Scenario.Title))
	}
	return names, cobra.ShellCompDirectiveDefault // or a file
}

// chosenQuestions returns the named questions, or all of them without a name. It reports skipped files.
func chosenQuestions(cmd *cobra.Command, names []string) ([]presets.Question, error) {
	all, skipped := presets.Questions()
	if len(names) == 0 {
		for _, err := range skipped {
			fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop: skipped:", err)
		}
		return all, nil
	}
	var known []string
	for i := range all {
		known = append(known, all[i].Scenario.Name)
	}
	var chosen []presets.Question
	for _, name := range names {
		q, err := presets.FindQuestion(name)
		if err != nil {
			return nil, suggest(err, name, known)
		}
		chosen = append(chosen, q)
	}
	return chosen, nil
}

// publishedText returns a published number: "88.55 µs: alltoall of 2 B".
func publishedText(p *presets.Reading) string {
	return text(engine.Metric{Value: p.Value, Unit: p.Unit}) + ": " + p.Of
}

// questionEntry returns the fields of a question.
func questionEntry(q *presets.Question) entry {
	numbers := []string{}
	for i := range q.Published {
		p := &q.Published[i]
		numbers = append(numbers, fmt.Sprintf("%g %s: %s (%s)", p.Value, p.Unit, p.Of, p.Source))
	}
	return entry{{"number", q.Number}, {"name", q.Scenario.Name}, {"question", q.Scenario.Title}, {"threads", q.Threads},
		{"workload", q.Scenario.Workload}, {"turn", q.Turn}, {"published", numbers}, {"finding", q.Finding},
		{"expect", expectationTexts(q.Scenario.Expect)}}
}

func listQuestions(all []presets.Question) *listing {
	l := &listing{what: "questions", columns: []string{"number", "name", "question", "threads"}}
	for i := range all {
		l.entries = append(l.entries, questionEntry(&all[i]))
	}
	return l
}

// printQuestion prints a question, its runs and its answer.
func printQuestion(cmd *cobra.Command, q *presets.Question, out *format) error {
	ctx, done := interruptible(cmd.Context())
	defer done()
	outcomes, err := playExpectations(ctx, cmd, &q.Scenario)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	l, _, _ := outcomeListing(outcomes, out)
	switch {
	case out.json:
		runs := []map[string]any{}
		for _, e := range l.entries {
			runs = append(runs, e.object())
		}
		all := questionEntry(q).object()
		all["schema"], all["runs"] = "hybridtop.question.v1", runs
		return writeJSON(w, all)
	case out.csv:
		return l.write(w, out)
	}
	fmt.Fprintf(w, "%d. %s\n\n", q.Number, q.Scenario.Title)
	for _, thread := range q.Threads {
		fmt.Fprintln(w, "asked in   ", thread)
	}
	for i := range q.Published {
		fmt.Fprintln(w, "published  ", publishedText(&q.Published[i]))
	}
	sc, err := session.FromPreset(&q.Scenario)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "runs        %s on %s\nturn        %s\n\n", q.Scenario.Workload, sc.Values["machine"], strings.Join(q.Turn, ", "))
	if err := l.write(w, out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s\n", q.Finding)
	return err
}

// checkQuestions plays questions and prints their outcomes.
func checkQuestions(cmd *cobra.Command, all []presets.Question, out *format) error {
	ctx, done := interruptible(cmd.Context())
	defer done()
	l := listing{what: "outcomes"}
	failed := 0
	for i := range all {
		q := &all[i]
		outcomes, err := playExpectations(ctx, cmd, &q.Scenario)
		if err != nil {
			return err
		}
		part, wrong, open := outcomeListing(outcomes, out)
		if wrong+open > 0 {
			failed++
		}
		l.columns = append([]string{"number", "name"}, part.columns...)
		for _, e := range part.entries {
			l.entries = append(l.entries, slices.Concat(entry{{"number", q.Number}, {"name", q.Scenario.Name}}, e))
		}
	}
	if err := l.write(cmd.OutOrStdout(), out); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "hybridtop: questions with the expected answer: %d of %d\n", len(all)-failed, len(all))
	if failed > 0 {
		return status(1)
	}
	return nil
}
