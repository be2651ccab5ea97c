package coll

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// NewTable returns a table of rules in any order. A team, with its number of ranks per node, has
// each size at most once, and at least one choice that supports it.
func NewTable(rules []Rule) (*Table, error) {
	rules = slices.Clone(rules)
	for i := range rules {
		rules[i].Modes.Transfer = 0
	}
	slices.SortStableFunc(rules, compareRules)
	b := tableBuilder{
		Table:   &Table{entries: make([]tableEntry, 0, len(rules))},
		numbers: map[Choice]uint16{},
	}
	var previous *Rule
	for i := range rules {
		r := &rules[i]
		if err := b.add(r, previous); err != nil {
			return nil, fmt.Errorf("rule for %s: %w", r.Tuple, err)
		}
		previous = r
	}
	return b.Table, nil
}

// compareRules orders rules by columns of the table, and by size.
func compareRules(a, b Rule) int {
	return cmp.Or(
		cmp.Compare(a.Collective, b.Collective),
		compareModes(a.Modes, b.Modes),
		cmp.Compare(a.perNode(), b.perNode()),
		cmp.Compare(a.Ranks, b.Ranks),
		cmp.Compare(a.Bytes, b.Bytes),
	)
}

// check returns an error if the rule's numbers are out of range.
func (r *Rule) check() error {
	switch {
	case r.Collective >= Collectives:
		return errors.New("no such collective")
	case r.Ranks < 1 || r.Ranks > MaxRanks:
		return fmt.Errorf("want 1 to %d ranks", MaxRanks)
	case r.PerNode < 0 || r.perNode() > r.Ranks:
		return errors.New("want at most all ranks per node")
	case r.Bytes < 0 || r.Time < 0:
		return errors.New("size and time must not be negative")
	case len(r.Choices) == 0 || len(r.Choices) > MaxChoices:
		return fmt.Errorf("%d choices: from 1 to %d", len(r.Choices), MaxChoices)
	}
	return nil
}

// tableBuilder adds rules to a table in their order.
type tableBuilder struct {
	*Table
	numbers map[Choice]uint16 // indices into choices, + 1
}

// add adds a rule after the previous one; nil: it is the first rule.
func (b *tableBuilder) add(r, previous *Rule) error {
	if err := r.check(); err != nil {
		return err
	}
	isSameTeam := previous != nil && r.same(previous.Tuple)
	if isSameTeam && r.Bytes == previous.Bytes {
		return errors.New("duplicate rule")
	}
	e, err := b.entry(r)
	if err != nil {
		return err
	}
	columns := b.columns[r.Collective]
	if !isSameTeam {
		at := int32(len(b.entries))
		columns = append(columns, tableColumn{ranks: r.Ranks, perNode: r.perNode(), first: at, end: at, modes: r.Modes})
	}
	columns[len(columns)-1].end++
	b.columns[r.Collective] = columns
	b.entries = append(b.entries, e)
	return nil
}

// entry returns the entry of a rule, of which at least one choice must support the team.
func (b *tableBuilder) entry(r *Rule) (tableEntry, error) {
	e := tableEntry{bytes: r.Bytes, time: r.Time}
	isServed := false
	for i, c := range r.Choices {
		if c.Algorithm == nil || c.Algorithm.Collective != r.Collective {
			return e, errors.New("an algorithm of another collective")
		}
		c = c.normal()
		ranks := int32(2) // a number that all algorithms accept
		if c.Algorithm.Takes(r.Tuple) {
			isServed = true
			ranks = r.Ranks
		}
		if _, err := c.Under(r.Modes).Key(ranks); err != nil {
			return e, err
		}
		number, err := b.number(c)
		if err != nil {
			return e, err
		}
		e.choices[i] = number
	}
	if !isServed {
		return e, errors.New("no choice supports such a team")
	}
	return e, nil
}

// normal returns the choice without the properties of a team, and with its default parameters.
func (c Choice) normal() Choice {
	c.Ranks = 0
	c.Segments = max(c.Segments, 1)
	if c.Radix == 0 {
		c.Radix = int(c.Algorithm.Radix)
	}
	c.Modes = Modes{Transfer: c.Transfer}
	return c
}

// number returns the number of a choice in the table, and adds new choices.
func (b *tableBuilder) number(c Choice) (uint16, error) {
	if n, ok := b.numbers[c]; ok {
		return n, nil
	}
	if len(b.choices) == math.MaxUint16 {
		return 0, fmt.Errorf("more than %d different choices", math.MaxUint16)
	}
	b.choices = append(b.choices, c)
	n := uint16(len(b.choices))
	b.numbers[c] = n
	return n, nil
}
