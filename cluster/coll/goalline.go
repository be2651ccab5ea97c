package coll

import "github.com/hybridtop/hybridtop/cluster"

// plainLine reads a whole line in the form that programs write: a label or none, single
// blanks, no comment, and all of it in the buffer. What has another form, or a mistake,
// it leaves as it is, for the reader that takes any form and words mistakes.
//
//	l7: send 1024b to 3 tag 2
//	l8 requires l7
func (g *goal) plainLine() (whole bool, err error) {
	for g.at < len(g.buf) && g.buf[g.at] == '\n' {
		g.newline()
	}
	b := g.buf[g.at:]
	i := 0
	for i < len(b) && b[i] == ' ' {
		i++
	}
	from := i
	if i = plainWord(b, i); i == from {
		return false, nil
	}
	word := b[from:i]
	switch {
	case b[i] == ' ' && i-from == 4: // an operation without a label, as a rule
		if kind, is := kindOfGoal(word); is {
			return g.opLine(b, i+1, kind, nil)
		}
		return g.requireLine(b, i+1, word)
	case b[i] == ' ':
		return g.requireLine(b, i+1, word)
	case b[i] != ':' || len(b)-i < len(": send ") || b[i+1] != ' ' || b[i+6] != ' ':
		return false, nil
	}
	kind, is := kindOfGoal(b[i+2 : i+6])
	if !is {
		return false, nil
	}
	return g.opLine(b, i+len(": send "), kind, word)
}

// plainWord is the end of a word that begins at i, with more behind it; i: there is none.
func plainWord(b []byte, i int) int {
	from := i
	if i < len(b) && letter(b[i]) {
		for i++; i < len(b) && inWord[b[i]]; i++ {
		}
	}
	if i >= len(b) || i-from > MostGoalLabel {
		return from
	}
	return i
}

// plainNumber reads up to 15 digits from i on; −1: there are none, or more.
func plainNumber(b []byte, i int) (n int64, end int) {
	first := i
	for ; i < len(b) && figure(b[i]); i++ {
		n = n*10 + int64(b[i]-'0')
	}
	if i == first || i-first > 15 {
		return -1, i
	}
	return n, i
}

// has reports whether word stands at i, with more behind it.
func has(b []byte, i int, word string) bool {
	return len(b)-i > len(word) && string(b[i:i+len(word)]) == word
}

// requireLine reads what is behind the label of an operation that requires another.
func (g *goal) requireLine(b []byte, i int, label []byte) (bool, error) {
	started := false
	switch {
	case has(b, i, "requires "):
		i += len("requires ")
	case has(b, i, "irequires "):
		started = true
		i += len("irequires ")
	default:
		return false, nil
	}
	end := plainWord(b, i)
	if end == i || b[end] != '\n' {
		return false, nil
	}
	op, before := g.known(label), g.known(b[i:end])
	if op < 0 || before < 0 || op == before {
		return false, nil
	}
	g.word = g.gone + int64(g.at+i)
	if err := g.to.Requires(op, before, started); err != nil {
		return false, err
	}
	g.at += end
	g.newline()
	return true, nil
}

// opLine reads what is behind the name of an operation.
func (g *goal) opLine(b []byte, i int, kind GoalKind, label []byte) (bool, error) {
	o := GoalOp{Kind: kind}
	if o.Size, i = plainNumber(b, i); o.Size < 0 || o.Size > MostGoalSize {
		return false, nil
	}
	if kind != GoalCalc {
		way := "b to "
		if kind == GoalRecv {
			way = "b from "
		}
		if !has(b, i, way) {
			return false, nil
		}
		var n int64
		if n, i = plainNumber(b, i+len(way)); n < 0 || n >= int64(g.ranks) {
			return false, nil
		}
		o.Peer = int32(n)
		if has(b, i, " tag ") {
			if n, i = plainNumber(b, i+len(" tag ")); n < 0 || n > cluster.MaxTag {
				return false, nil
			}
			o.Tag = int32(n)
		}
	}
	if i >= len(b) || b[i] != '\n' || g.ops == MostGoalOps || label != nil && !g.defines(label) {
		return false, nil
	}
	g.ops++
	g.word = g.gone + int64(g.at+i)
	if err := g.to.Op(o); err != nil {
		return false, err
	}
	g.at += i
	g.newline()
	return true, nil
}
