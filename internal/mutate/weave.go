package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// written is a file with mutations.
type written struct {
	text  []byte
	spans []textSpan
}

// textSpan is the part of a file that has the place of a mutation.
type textSpan struct{ id, from, to int }

// at returns the mutation in whose place an offset is, and of several ones the innermost. If there is none, it
// returns the mutations whose places are in the offset's line.
func (w *written) at(offset int) (ids []int) {
	length := len(w.text) + 1
	for _, s := range w.spans {
		if s.from <= offset && offset < s.to && s.to-s.from < length {
			ids, length = []int{s.id}, s.to-s.from
		}
	}
	if len(ids) > 0 {
		return ids
	}
	line := func(at int) int { return bytes.Count(w.text[:at], []byte("\n")) }
	for _, s := range w.spans {
		if line(s.from) == line(offset) {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// weave returns a file with a call of package mutant at each site. The lines stay the same.
func weave(source []byte, sites []site) *written {
	sites = slices.Clone(sites)
	slices.SortStableFunc(sites, func(a, b site) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to), cmp.Compare(a.id, b.id))
	})
	w, out, done := &written{}, &bytes.Buffer{}, 0
	copyTo := func(at int) {
		out.Write(source[done:at])
		done = at
	}
	if at := bytes.Index(source, []byte("\npackage ")); at >= 0 || bytes.HasPrefix(source, []byte("package ")) {
		at++
		copyTo(at + bytes.IndexByte(source[at:], '\n'))
		fmt.Fprintf(out, "; import mutated %q", module+switches)
	}
	type open struct{ site, span int }
	var stack []open
	end := func(at int) { // ends all sites up to a place
		for len(stack) > 0 && sites[stack[len(stack)-1].site].to <= at {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			copyTo(sites[top.site].to)
			out.WriteString(sites[top.site].after())
			w.spans[top.span].to = out.Len()
		}
	}
	for i := range sites {
		end(sites[i].from)
		copyTo(sites[i].from)
		stack = append(stack, open{i, len(w.spans)})
		w.spans = append(w.spans, textSpan{id: sites[i].id, from: out.Len()})
		out.WriteString(sites[i].before())
	}
	end(len(source))
	copyTo(len(source))
	out.WriteString("\nvar _ = mutated.Variable // a use of the import\n")
	w.text = out.Bytes()
	return w
}

// module is the path of the module.
const module = "github.com/hybridtop/hybridtop/"

// before and after return the texts around a place.
func (s *site) before() string {
	switch s.operator {
	case "condition":
		return fmt.Sprintf("mutated.Condition(%d, ", s.id)
	case "call":
		return fmt.Sprintf("if mutated.Calls(%d) { ", s.id)
	case "index":
		return fmt.Sprintf("mutated.Index(%d, ", s.id)
	}
	return fmt.Sprintf("mutated.Constant[%s](%d, ", s.of, s.id)
}

func (s *site) after() string {
	switch s.operator {
	case "condition":
		return ")"
	case "call":
		return " }"
	case "index":
		return fmt.Sprintf(", %d)", s.by)
	}
	return fmt.Sprintf(", %s)", s.text)
}
