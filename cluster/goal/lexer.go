package goal

import (
	"fmt"
	"io"
)

// column is the column of the last word.
func (p *parser) column() int64 { return p.start - p.lineStart + 1 }

// fill reads more bytes. It reports false at the end of the file.
func (p *parser) fill() bool {
	if p.eof {
		return false
	}
	keep := copy(p.buf[:cap(p.buf)], p.buf[p.pos:])
	p.offset += int64(p.pos)
	p.pos = 0
	p.buf = p.buf[:keep]
	for range 100 {
		n, err := p.r.Read(p.buf[keep:cap(p.buf)])
		p.buf = p.buf[:keep+n]
		if err != nil {
			p.eof = true
			if err != io.EOF {
				p.failed = err
			}
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	p.eof, p.failed = true, io.ErrNoProgress
	return false
}

// peek returns the next byte, or 0 at the end of the file.
func (p *parser) peek() byte {
	if p.pos == len(p.buf) && !p.fill() {
		return 0
	}
	return p.buf[p.pos]
}

// skipBlanks skips blanks and comments, and with lines also the ends of lines.
func (p *parser) skipBlanks(lines bool) error {
	for {
		for p.pos < len(p.buf) && p.buf[p.pos] == ' ' {
			p.pos++
		}
		switch c := p.peek(); {
		case c == ' ' || c == '\t' || c == '\r':
			p.pos++
		case c == '\n' && lines:
			p.newLine()
		case c == '/':
			p.start = p.offset + int64(p.pos)
			p.pos++
			switch p.peek() {
			case '/':
				for c := p.peek(); c != '\n' && (c != 0 || !p.atEnd()); c = p.peek() {
					p.pos++
				}
			case '*':
				p.pos++
				for last := byte(0); ; {
					c := p.peek()
					if c == 0 && p.atEnd() {
						return fmt.Errorf("unterminated comment")
					}
					if c == '\n' {
						p.newLine()
					} else {
						p.pos++
					}
					if last == '*' && c == '/' {
						break
					}
					last = c
				}
			default:
				return p.unexpected("a comment after /")
			}
		default:
			p.start = p.offset + int64(p.pos)
			return nil
		}
	}
}

func (p *parser) newLine() {
	p.pos++
	p.line++
	p.lineStart = p.offset + int64(p.pos)
}

// atEnd reports, after peek has returned 0, whether the file has ended.
func (p *parser) atEnd() bool { return p.pos == len(p.buf) }

// unexpected is an error about the next byte.
func (p *parser) unexpected(what string) error {
	p.start = p.offset + int64(p.pos)
	switch c := p.peek(); {
	case c == 0 && p.atEnd():
		return fmt.Errorf("want %s, got the end of the file", what)
	case c == '\n':
		return fmt.Errorf("want %s, got the end of the line", what)
	case c < ' ' || c > '~':
		return fmt.Errorf("want %s, got byte %#02x", what, c)
	default:
		return fmt.Errorf("want %s, got %q", what, c)
	}
}

// inWord has the bytes that a word may have after its first byte.
var inWord = func() (in [256]bool) {
	for c := range in {
		in[c] = isLetter(byte(c)) || isDigit(byte(c)) || c == '_'
	}
	return in
}()

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// word reads a word that begins with a letter. The word is valid until the next read.
func (p *parser) word(what string) ([]byte, error) {
	if err := p.skipBlanks(false); err != nil {
		return nil, err
	}
	if !isLetter(p.peek()) {
		return nil, p.unexpected(what)
	}
	for len(p.buf)-p.pos <= MaxLabel && p.fill() { // so that peek does not move the word
	}
	i := p.pos
	for i < len(p.buf) && inWord[p.buf[i]] {
		i++
	}
	if i-p.pos > MaxLabel {
		return nil, fmt.Errorf("a label of more than %d bytes", MaxLabel)
	}
	w := p.buf[p.pos:i]
	p.pos = i
	return w, nil
}

// number reads an integer from 0 to limit. With any, −1 is valid as well.
func (p *parser) number(what string, limit int64, any bool) (int64, error) {
	if err := p.skipBlanks(false); err != nil {
		return 0, err
	}
	if any && p.peek() == '-' {
		if p.pos++; p.peek() == '1' {
			if p.pos++; !isDigit(p.peek()) {
				return -1, nil
			}
		}
		return 0, p.unexpected(what + ", or -1 for any")
	}
	if !isDigit(p.peek()) {
		return 0, p.unexpected(what)
	}
	n := int64(0)
	for {
		for p.pos < len(p.buf) && isDigit(p.buf[p.pos]) {
			n = n*10 + int64(p.buf[p.pos]-'0')
			if n > limit {
				return 0, fmt.Errorf("%s beyond %d", what, limit)
			}
			p.pos++
		}
		if p.pos < len(p.buf) || !p.fill() {
			return n, nil
		}
	}
}
