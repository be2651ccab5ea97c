package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	base := flag.String("base", "", "report only lines and commit subjects changed since this commit")
	flag.Parse()
	if err := run(*base); err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

// run prints the findings of the checkout in the current folder.
func run(base string) error {
	changed, err := changedLines(base)
	if err != nil {
		return err
	}
	n := 0
	report := func(s string) {
		n++
		fmt.Println(s)
	}
	err = walk(".", func(path string, text []byte) {
		if base != "" && changed[path] == nil {
			return
		}
		for _, s := range sentences(path, text) {
			if base != "" && !changed[path].overlaps(s.line, s.end) {
				continue
			}
			for _, f := range check(s) {
				report(fmt.Sprintf("%s:%d: %s | %s", path, s.line, f, s.text))
			}
		}
	})
	if err != nil {
		return err
	}
	if base != "" {
		out, err := git("log", "--no-merges", "--format=%h %s", base+"..HEAD")
		if err != nil {
			return err
		}
		for line := range strings.Lines(out) {
			hash, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
			if f := checkSubject(subject); f != "" {
				report(fmt.Sprintf("commit %s: %s | %s", hash, f, subject))
			}
		}
	}
	if n > 0 && base != "" {
		return fmt.Errorf("%d sentences to rewrite (docs/style.md; right ones go to internal/prose/exceptions.txt)", n)
	}
	return nil
}

// walk calls f for every file of the tree that can contain prose.
func walk(root string, f func(path string, text []byte)) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || len(name) > 1 && name[0] == '.' && name != ".." {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".toml":
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			f(filepath.ToSlash(rel), text)
		}
		return nil
	})
}

// An interval is a range of lines, both ends included.
type interval struct{ first, last int }

type intervals []interval

func (v intervals) overlaps(first, last int) bool {
	for _, i := range v {
		if i.first <= last && first <= i.last {
			return true
		}
	}
	return false
}

var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// changedLines returns the lines of each file that differ from the base commit, by path.
func changedLines(base string) (map[string]intervals, error) {
	if base == "" {
		return nil, nil
	}
	out, err := git("diff", "-U0", "--no-color", "--no-ext-diff", "--relative", base)
	if err != nil {
		return nil, err
	}
	changed := map[string]intervals{}
	path := ""
	for line := range strings.Lines(out) {
		if p, ok := strings.CutPrefix(line, "+++ b/"); ok {
			path = strings.TrimSpace(p)
		}
		m := hunk.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		first, _ := strconv.Atoi(m[1])
		n := 1
		if m[2] != "" {
			n, _ = strconv.Atoi(m[2])
		}
		if n > 0 {
			changed[path] = append(changed[path], interval{first, first + n - 1})
		}
	}
	return changed, nil
}

func git(args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("git", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}
