package goal

import "github.com/hybridtop/hybridtop/cluster"

// fastLine reads a whole line in the form that programs write: at most one label, single
// blanks, no comment, and all of it in the buffer. It reports false and reads nothing if the
// line has another form or an error: then the general reader reads it.
//
//	l7: send 1024b to 3 tag 2
//	l8 requires l7
func (p *parser) fastLine() (whole bool, err error) {
	for p.pos < len(p.buf) && p.buf[p.pos] == '\n' {
		p.newLine()
	}
	b := p.buf[p.pos:]
	i := 0
	for i < len(b) && b[i] == ' ' {
		i++
	}
	from := i
	i = wordEnd(b, i)
	if i == from {
		return false, nil
	}
	word := b[from:i]
	switch {
	case b[i] == ' ' && i-from == 4: // usually an operation without a label
		if kind, is := kindOf(word); is {
			return p.opLine(b, i+1, kind, nil)
		}
		return p.requireLine(b, i+1, word)
	case b[i] == ' ':
		return p.requireLine(b, i+1, word)
	case b[i] != ':' || len(b)-i < len(": send ") || b[i+1] != ' ' || b[i+6] != ' ':
		return false, nil
	}
	kind, is := kindOf(b[i+2 : i+6])
	if !is {
		return false, nil
	}
	return p.opLine(b, i+len(": send "), kind, word)
}

// wordEnd returns the end of the word at i, or i if no word ends inside b.
func wordEnd(b []byte, i int) int {
	from := i
	if i < len(b) && isLetter(b[i]) {
		for i++; i < len(b) && inWord[b[i]]; i++ {
		}
	}
	if i >= len(b) || i-from > MaxLabel {
		return from
	}
	return i
}

// digits reads a number of at most 15 digits at i. It returns −1 for any other text.
func digits(b []byte, i int) (n int64, end int) {
	first := i
	for ; i < len(b) && isDigit(b[i]); i++ {
		n = n*10 + int64(b[i]-'0')
	}
	if i == first || i-first > 15 {
		return -1, i
	}
	return n, i
}

// hasWord reports whether b has word at i, and more bytes after it.
func hasWord(b []byte, i int, word string) bool {
	return len(b)-i > len(word) && string(b[i:i+len(word)]) == word
}

// requireLine reads a requirement after the label of its operation.
func (p *parser) requireLine(b []byte, i int, label []byte) (bool, error) {
	started := false
	switch {
	case hasWord(b, i, "requires "):
		i += len("requires ")
	case hasWord(b, i, "irequires "):
		started = true
		i += len("irequires ")
	default:
		return false, nil
	}
	end := wordEnd(b, i)
	if end == i || b[end] != '\n' {
		return false, nil
	}
	op, before := p.lookup(label), p.lookup(b[i:end])
	if op < 0 || before < 0 || op == before {
		return false, nil
	}
	p.start = p.offset + int64(p.pos+i)
	if err := p.to.Requires(op, before, started); err != nil {
		return false, err
	}
	p.pos += end
	p.newLine()
	return true, nil
}

// opLine reads an operation after its name.
func (p *parser) opLine(b []byte, i int, kind Kind, label []byte) (bool, error) {
	o := Op{Kind: kind}
	o.Size, i = digits(b, i)
	if o.Size < 0 || o.Size > MaxSize {
		return false, nil
	}
	if kind != Calc {
		way := "b to "
		if kind == Recv {
			way = "b from "
		}
		if !hasWord(b, i, way) {
			return false, nil
		}
		var n int64
		n, i = digits(b, i+len(way))
		if n < 0 || n >= int64(p.ranks) {
			return false, nil
		}
		o.Peer = int32(n)
		if hasWord(b, i, " tag ") {
			n, i = digits(b, i+len(" tag "))
			if n < 0 || n > cluster.MaxTag {
				return false, nil
			}
			o.Tag = int32(n)
		}
	}
	if i >= len(b) || b[i] != '\n' || p.ops == MaxOps || label != nil && !p.tryDefine(label) {
		return false, nil
	}
	p.ops++
	p.start = p.offset + int64(p.pos+i)
	if err := p.to.Op(o); err != nil {
		return false, err
	}
	p.pos += i
	p.newLine()
	return true, nil
}
