package lesson

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Expression is a formula over the metrics of runs: numbers, run.metric, + − * / and parentheses.
type Expression struct {
	text string
	root node
}

// node is a number, a metric, or an operator with two operands.
type node struct {
	op          byte // 'n': number, 'm': metric, '+', '-', '*', '/'
	value       float64
	run, metric string
	left, right *node
}

// maxDepth is the maximum number of nested parentheses.
const maxDepth = 20

// ParseExpression parses a formula. A "#" before it is ignored.
func ParseExpression(text string) (Expression, error) {
	p := parser{rest: strings.TrimPrefix(strings.TrimSpace(text), "#")}
	root, err := p.sum(0)
	if err != nil {
		return Expression{}, fmt.Errorf("expression %q: %w", text, err)
	}
	if p.next() != 0 {
		return Expression{}, fmt.Errorf("expression %q: cannot read %q (want metrics such as packed.step_time, with + - * /)",
			text, p.rest)
	}
	return Expression{text: text, root: *root}, nil
}

// Metrics returns the metrics of the expression as pairs of run and metric.
func (x *Expression) Metrics() [][2]string {
	var all [][2]string
	var walk func(n *node)
	walk = func(n *node) {
		if n == nil {
			return
		}
		if n.op == 'm' {
			all = append(all, [2]string{n.run, n.metric})
		}
		walk(n.left)
		walk(n.right)
	}
	walk(&x.root)
	return all
}

// eval computes the expression.
func (n *node) eval(metric func(run, name string) (float64, error)) (float64, error) {
	switch n.op {
	case 'n':
		return n.value, nil
	case 'm':
		return metric(n.run, n.metric)
	}
	a, err := n.left.eval(metric)
	if err != nil {
		return math.NaN(), err
	}
	b, err := n.right.eval(metric)
	if err != nil {
		return math.NaN(), err
	}
	switch n.op {
	case '+':
		return a + b, nil
	case '-':
		return a - b, nil
	case '*':
		return a * b, nil
	default:
		return a / b, nil
	}
}

// parser parses by recursive descent. rest is the unread text.
type parser struct{ rest string }

// next returns the next character after spaces, or 0 at the end.
func (p *parser) next() byte {
	p.rest = strings.TrimLeft(p.rest, " ")
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

func (p *parser) skip() { p.rest = p.rest[1:] }

func (p *parser) sum(depth int) (*node, error) { return p.chain(depth, "+-", p.product) }

func (p *parser) product(depth int) (*node, error) { return p.chain(depth, "*/", p.operand) }

// chain parses operands that operators join from left to right.
func (p *parser) chain(depth int, operators string, operand func(int) (*node, error)) (*node, error) {
	left, err := operand(depth)
	for err == nil {
		op := p.next()
		if op == 0 || !strings.Contains(operators, string(op)) {
			break
		}
		p.skip()
		var right *node
		right, err = operand(depth)
		left = &node{op: op, left: left, right: right}
	}
	return left, err
}

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
)

func (p *parser) operand(depth int) (*node, error) {
	c := p.next()
	switch {
	case c == '(' && depth < maxDepth:
		p.skip()
		n, err := p.sum(depth + 1)
		if err == nil && p.next() != ')' {
			err = fmt.Errorf("a parenthesis has no end")
		}
		if err != nil {
			return nil, err
		}
		p.skip()
		return n, nil
	case c >= '0' && c <= '9':
		text := p.take(digits + ".")
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("cannot read the number %q", text)
		}
		return &node{op: 'n', value: x}, nil
	case c >= 'a' && c <= 'z':
		run := p.take(lower + digits + "-")
		if p.next() != '.' {
			return nil, fmt.Errorf("want a metric after the run %s: %s.step_time", run, run)
		}
		p.skip()
		metric := p.take(lower + digits + "_")
		if metric == "" {
			return nil, fmt.Errorf("want a metric after the run %s: %s.step_time", run, run)
		}
		return &node{op: 'm', run: run, metric: metric}, nil
	}
	return nil, fmt.Errorf("want a metric or a number at %q", p.rest)
}

// take reads the longest prefix of allowed characters.
func (p *parser) take(allowed string) string {
	n := len(p.rest) - len(strings.TrimLeft(p.rest, allowed))
	text := p.rest[:n]
	p.rest = p.rest[n:]
	return text
}
