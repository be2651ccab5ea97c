package coll

import (
	"fmt"
	"io"
)

func (g *goal) column() int64 { return g.word - g.lineStart + 1 }

// fill reads more; false: there is no more.
func (g *goal) fill() bool {
	if g.ended {
		return false
	}
	keep := copy(g.buf[:cap(g.buf)], g.buf[g.at:])
	g.gone += int64(g.at)
	g.at = 0
	g.buf = g.buf[:keep]
	for range 100 {
		n, err := g.r.Read(g.buf[keep:cap(g.buf)])
		g.buf = g.buf[:keep+n]
		if err != nil {
			g.ended = true
			if err != io.EOF {
				g.failed = err
			}
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	g.ended, g.failed = true, io.ErrNoProgress
	return false
}

// peek gives the next byte, 0 at the end of the file.
func (g *goal) peek() byte {
	if g.at == len(g.buf) && !g.fill() {
		return 0
	}
	return g.buf[g.at]
}

// blanks passes over blanks and comments; with lines, over ends of lines as well.
func (g *goal) blanks(lines bool) error {
	for {
		for g.at < len(g.buf) && g.buf[g.at] == ' ' {
			g.at++
		}
		switch c := g.peek(); {
		case c == ' ' || c == '\t' || c == '\r':
			g.at++
		case c == '\n' && lines:
			g.newline()
		case c == '/':
			g.word = g.gone + int64(g.at)
			g.at++
			switch g.peek() {
			case '/':
				for c := g.peek(); c != '\n' && (c != 0 || !g.end()); c = g.peek() {
					g.at++
				}
			case '*':
				g.at++
				for last := byte(0); ; {
					c := g.peek()
					if c == 0 && g.end() {
						return fmt.Errorf("a comment that does not end")
					}
					if c == '\n' {
						g.newline()
					} else {
						g.at++
					}
					if last == '*' && c == '/' {
						break
					}
					last = c
				}
			default:
				return g.wants("a comment after /")
			}
		default:
			g.word = g.gone + int64(g.at)
			return nil
		}
	}
}

func (g *goal) newline() {
	g.at++
	g.line++
	g.lineStart = g.gone + int64(g.at)
}

// end says that the file has ended, where peek gives 0.
func (g *goal) end() bool { return g.at == len(g.buf) }

// wants is an error about what stands there.
func (g *goal) wants(what string) error {
	g.word = g.gone + int64(g.at)
	switch c := g.peek(); {
	case c == 0 && g.end():
		return fmt.Errorf("want %s, the file ends", what)
	case c == '\n':
		return fmt.Errorf("want %s, the line ends", what)
	case c < ' ' || c > '~':
		return fmt.Errorf("want %s, there is byte %#02x", what, c)
	default:
		return fmt.Errorf("want %s, there is %q", what, c)
	}
}

// inWord are the bytes that a word may have after its first.
var inWord = func() (in [256]bool) {
	for c := range in {
		in[c] = letter(byte(c)) || figure(byte(c)) || c == '_'
	}
	return in
}()

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func figure(c byte) bool { return c >= '0' && c <= '9' }

// name reads a word that begins with a letter; it is valid until the next read.
func (g *goal) name(what string) ([]byte, error) {
	if err := g.blanks(false); err != nil {
		return nil, err
	}
	if !letter(g.peek()) {
		return nil, g.wants(what)
	}
	for len(g.buf)-g.at <= MostGoalLabel && g.fill() { // so that a look at what follows moves nothing
	}
	i := g.at
	for i < len(g.buf) && inWord[g.buf[i]] {
		i++
	}
	if i-g.at > MostGoalLabel {
		return nil, fmt.Errorf("a label of more than %d bytes", MostGoalLabel)
	}
	w := g.buf[g.at:i]
	g.at = i
	return w, nil
}

// number reads a whole number from 0 to most; or −1 where any is a word for all.
func (g *goal) number(what string, most int64, any bool) (int64, error) {
	if err := g.blanks(false); err != nil {
		return 0, err
	}
	if any && g.peek() == '-' {
		if g.at++; g.peek() == '1' {
			if g.at++; !figure(g.peek()) {
				return -1, nil
			}
		}
		return 0, g.wants(what + ", or -1 for any")
	}
	if !figure(g.peek()) {
		return 0, g.wants(what)
	}
	n := int64(0)
	for {
		for g.at < len(g.buf) && figure(g.buf[g.at]) {
			if n = n*10 + int64(g.buf[g.at]-'0'); n > most {
				return 0, fmt.Errorf("%s beyond %d", what, most)
			}
			g.at++
		}
		if g.at < len(g.buf) || !g.fill() {
			return n, nil
		}
	}
}
