package job

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// launcher is a program that starts the processes of a job, with its arguments.
type launcher struct {
	words     []string
	processes int // number of processes in the words; 0: unknown, and it cannot change
}

// placeholder is the text of a launcher that stands for the number of processes.
const placeholder = "{n}"

// usualProcesses is the default number of processes of a launcher with a placeholder.
const usualProcesses = 2

// maxProcesses is the largest number of processes of the knob.
const maxProcesses = 65536

// Options of Open MPI, MPICH and Slurm that set the number of processes: alone before the number, or with it.
var (
	countOption = regexp.MustCompile(`^(-n|-np|--n|--np|--ntasks)$`)
	countWord   = regexp.MustCompile(`^(-n|-np|--n=|--np=|--ntasks=)(\d+)$`)
)

// parseLauncher reads a launcher. Its number of processes is that of {n}, or the value of the only option that sets it.
func parseLauncher(text string) (launcher, error) {
	var l launcher
	words, err := split(text)
	if err != nil {
		return l, fmt.Errorf("launcher %.200q: %w", text, err)
	}
	if l.words = words; len(words) == 0 || words[0] == "" {
		return l, errors.New(`launcher: none given (use --launcher "mpirun -n 2")`)
	}
	if strings.Contains(strings.Join(words, " "), placeholder) {
		l.processes = usualProcesses
		return l, nil
	}
	at, found := 0, 0
	prefix, number := "", ""
	for i := 1; i < len(words); i++ {
		if m := countWord.FindStringSubmatch(words[i]); m != nil {
			at, prefix, number = i, m[1], m[2]
			found++
		} else if i+1 < len(words) && countOption.MatchString(words[i]) {
			at, prefix, number = i+1, "", words[i+1]
			found++
		}
	}
	n, err := strconv.Atoi(number)
	if found != 1 || err != nil || n < 1 || n > maxProcesses { // several programs, or a variable number
		return l, nil
	}
	l.processes = n
	l.words[at] = prefix + placeholder
	return l, nil
}

// Processes returns the number of processes that a launcher starts by default, or 0 if the number cannot be changed.
func Processes(text string) (int, error) {
	l, err := parseLauncher(text)
	return l.processes, err
}

// line returns the words for a number of processes.
func (l *launcher) line(processes int) []string {
	all := make([]string, len(l.words))
	for i, w := range l.words {
		all[i] = w
		if l.processes > 0 {
			all[i] = strings.ReplaceAll(w, placeholder, strconv.Itoa(processes))
		}
	}
	return all
}

// split splits a text into words as a POSIX shell does, without expansions. Single quotes protect every character.
// Double quotes protect all but a backslash before one of " \ $ `. Outside quotes, a backslash protects the next
// character.
func split(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	quote := rune(0)
	escaped := false
	for _, c := range text {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", c) {
				word.WriteByte('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the quote %c has no end", quote)
	case escaped:
		return nil, errors.New("a backslash is the last character (use two for a backslash)")
	case inWord:
		words = append(words, word.String())
	}
	return words, nil
}
