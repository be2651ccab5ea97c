package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine/lesson"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/safetext"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui"
)

func newLesson() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lesson [NAME]",
		Short: "list lessons, play or print one, or check them",
		Long: "A lesson asks for a prediction, runs the program, and explains the difference. Without a name the command " +
			"lists all lessons. With a name it opens the screen with the lesson next to the charts. If standard input or output " +
			"is not a terminal, it reads predictions from standard input: an empty line continues, ? shows a hint, q quits. " +
			"Answers are stored, and a lesson continues at its first open question. " +
			"With --text it prints a lesson with its answers. With --teach it shows the lesson to a class, and the votes of the class " +
			"before each answer.\n\nYour own lessons are Markdown files in " +
			"~/.config/hybridtop/lessons (docs/lessons.md).",
		Example: "hybridtop lesson\nhybridtop lesson small-messages\nhybridtop lesson small-messages --text\n" +
			"hybridtop lesson small-messages --answers class/ada.json --twice\nhybridtop lesson small-messages --teach --answers class",
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return presets.Lessons(), cobra.ShellCompDirectiveDefault
		},
	}
	out := addFormat(cmd)
	asText := cmd.Flags().Bool("text", false, "print the lesson with its answers")
	answers := cmd.Flags().String("answers", "", "file for your answers; default: in the folder of stored settings")
	twice := cmd.Flags().Bool("twice", false, "answer each question again before its answer is shown, after talking with neighbours")
	teach := cmd.Flags().Bool("teach", false, "teach the lesson to a class: PgDn and PgUp are the keys, and --answers is the folder of the class")
	again := cmd.Flags().Bool("again", false, "forget the stored answers and start at the first step")
	for _, other := range []string{"text", "twice", "again"} {
		cmd.MarkFlagsMutuallyExclusive("teach", other)
	}
	screen := addScreenFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			for _, flag := range []string{"text", "teach", "twice"} {
				if cmd.Flags().Changed(flag) {
					return fmt.Errorf("lesson --%s: want the name of a lesson (one of %s)", flag, strings.Join(presets.Lessons(), ", "))
				}
			}
			return listLessons(cmd, out)
		}
		l, err := findLesson(args[0])
		if err != nil {
			return err
		}
		if *teach {
			if _, err := lesson.ReadClass(*answers, &l); err != nil {
				return fmt.Errorf("--answers: %w", err)
			}
			if err := needTerminal("hybridtop lesson " + args[0] + " --text"); err != nil {
				return err
			}
			return openLesson(cmd, &l, tui.Lesson{Name: args[0], Teach: true, Class: *answers}, screen())
		}
		file, err := answersFile(cmd, l.Name, *answers)
		if err != nil {
			return err
		}
		if !*asText && onTerminal() {
			return openLesson(cmd, &l, tui.Lesson{Name: args[0], File: file, Again: *again, Twice: *twice}, screen())
		}
		r, err := runLesson(cmd, &l)
		if err != nil {
			return err
		}
		if *asText {
			return lesson.Print(cmd.OutOrStdout(), &l, r)
		}
		return playLesson(cmd, &l, r, file, *again, *twice)
	}
	cmd.AddCommand(newLessonCheck(), newLessonResults())
	return cmd
}

func findLesson(name string) (presets.Lesson, error) {
	l, err := presets.FindLesson(name)
	if err != nil {
		return l, suggest(err, name, presets.Lessons())
	}
	return l, nil
}

// runLesson runs the programs of a lesson.
func runLesson(cmd *cobra.Command, l *presets.Lesson) (lesson.Results, error) {
	ctx, done := interruptible(cmd.Context())
	defer done()
	r, err := lesson.Run(ctx, l, session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Usual: lesson.LiveTime}}, newSweepLine(cmd.ErrOrStderr()))
	if code := interruption(ctx); code != 0 {
		code.say(cmd.ErrOrStderr())
		return nil, code
	}
	return r, err
}

func listLessons(cmd *cobra.Command, out *format) error {
	l := listing{what: "lessons", columns: []string{"name", "minutes", "answered", "title", "paper"}}
	for _, name := range presets.Lessons() {
		x, err := presets.FindLesson(name)
		if err != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop: skipped:", err)
			continue
		}
		questions, answered := 0, 0
		for i := range x.Steps {
			if x.Steps[i].Ask != nil {
				questions++
			}
		}
		if file := lesson.StoredFile(name); file != "" {
			if a, err := lesson.ReadAnswers(file); err == nil {
				answered = len(a.Answers)
			}
		}
		l.entries = append(l.entries, entry{{"name", name}, {"minutes", x.Minutes},
			{"answered", fmt.Sprintf("%d of %d", answered, questions)}, {"title", x.Title}, {"paper", x.Paper},
			{"aim", x.Aim}, {"before", append([]string{}, x.Before...)}})
	}
	return l.write(cmd.OutOrStdout(), out)
}

func newLessonCheck() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [NAME|FILE]...",
		Short: "run the programs of lessons and check every number and answer",
		Long: "Check lessons: all of them, or the named ones. A number in a lesson's text is a link to the metric of a run. The " +
			"command runs all programs, and reports each number that differs, each answer that is wrong, and each number without " +
			"a source, with its line. It also lists the answers that change if a constant that a machine file assumes is halved " +
			"or doubled.\n\nThe exit status is 0 if nothing is wrong.",
		Example: "hybridtop lesson check\nhybridtop lesson check ./my-lesson.md",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return presets.Lessons(), cobra.ShellCompDirectiveDefault
		},
	}
	assumed := cmd.Flags().Bool("assumed", true, "halve and double the assumed constants of machines")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		names := args
		if len(names) == 0 {
			names = presets.Lessons()
		}
		wrong, err := checkLessons(cmd, names, *assumed)
		if err != nil {
			return err
		}
		if wrong > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "hybridtop: mistakes in lessons: %d\n", wrong)
			return status(1)
		}
		return nil
	}
	return cmd
}

// checkLessons checks lessons and returns the number of mistakes.
func checkLessons(cmd *cobra.Command, names []string, assumed bool) (int, error) {
	w := cmd.OutOrStdout()
	wrong := 0
	say := func(errs ...error) {
		for _, err := range errs {
			fmt.Fprintln(w, safetext.Clean(err.Error()))
		}
		wrong += len(errs)
	}
	var lessons []*presets.Lesson
	for _, name := range names {
		if l, err := findLesson(name); err != nil {
			say(err)
		} else {
			lessons = append(lessons, &l)
		}
	}
	ctx, done := interruptible(cmd.Context())
	defer done()
	stopped := func(err error) error {
		if code := interruption(ctx); code != 0 {
			code.say(cmd.ErrOrStderr())
			return code
		}
		return err
	}
	outcomes, err := lesson.RunAll(ctx, lessons, session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Usual: lesson.LiveTime}},
		newSweepLine(cmd.ErrOrStderr()))
	if err := stopped(err); err != nil {
		return wrong, err
	}
	numbers, mistakes := make([]lesson.Numbers, len(lessons)), make([][]error, len(lessons))
	var right []*presets.Lesson
	for i, l := range lessons {
		if err := outcomes[i].Err; err != nil {
			mistakes[i] = []error{err}
			continue
		}
		if numbers[i], mistakes[i] = lesson.Check(l, outcomes[i].Results); len(mistakes[i]) == 0 {
			right = append(right, l)
		}
	}
	decisive := make([][]lesson.Sensitivity, len(right))
	if assumed {
		decisive, err = lesson.Sensitivities(ctx, right, session.Options{Fabrics: session.Fabrics()}, newSweepLine(cmd.ErrOrStderr()))
		if err := stopped(err); err != nil {
			return wrong, err
		}
	}
	for i, l := range lessons {
		say(mistakes[i]...)
		if outcomes[i].Err != nil {
			continue
		}
		n, verdict := &numbers[i], "all right"
		if len(mistakes[i]) > 0 {
			verdict = fmt.Sprintf("mistakes: %d", len(mistakes[i]))
		}
		fmt.Fprintf(w, "%s: %d runs, %d numbers, %d quoted, %d questions: %s\n", l.Name, n.Runs, n.Numbers, n.Quoted, n.Questions, verdict)
		if at := slices.Index(right, l); at >= 0 {
			for _, s := range decisive[at] {
				fmt.Fprintf(w, "  line %d: another answer if %s of %s, which is assumed, is × %g\n", s.Line, s.Key, s.Machine, s.Factor)
			}
		}
	}
	return wrong, nil
}
