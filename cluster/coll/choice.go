package coll

import (
	"fmt"
	"math/bits"
	"strings"
)

// Tuple is what the choice of an algorithm rests on.
type Tuple struct {
	Collective Collective
	Ranks      int32 // of the team
	PerNode    int32 // of them a node; 0: one
	Bytes      int64 // of a block where blocks go by member, else of the whole data
	Lacks      Needs // what the call does not offer: a commutative reduction, equal blocks
	Modes      Modes // the addresses and the synchronization that are asked for; the transfer is chosen
}

// String says which tuple it is.
func (t Tuple) String() string {
	return fmt.Sprintf("%s, ranks %d, a node %d, size %d", t.Collective, t.Ranks, max(t.PerNode, 1), t.Bytes) + t.Modes.Words()
}

// Words says which addresses and synchronization are asked for, if they are not the usual
// ones.
func (m Modes) Words() string {
	if m.Transfer = 0; m == (Modes{}) {
		return ""
	}
	return fmt.Sprintf(", addresses %s, %s in, %s out", m.Address, m.In, m.Out)
}

// Choice is an algorithm with its parameters, for a team of any size; Ranks stays 0.
type Choice struct {
	Algorithm *Algorithm
	Parameters
}

// Takes reports whether the algorithm serves a tuple.
func (a *Algorithm) Takes(t Tuple) bool {
	return a.Collective == t.Collective && a.Needs&t.Lacks == 0 &&
		(a.Needs&PowerOfTwo == 0 || powerOfTwo(t.Ranks)) &&
		(a.Needs&Reach == 0 || max(t.PerNode, 1) >= t.Ranks) &&
		(a.Needs&EvenRanks == 0 || t.Ranks%2 == 0 || t.Ranks == 1)
}

func powerOfTwo(n int32) bool { return bits.OnesCount32(uint32(n)) == 1 }

// Under is the choice where such addresses and synchronization are asked for.
func (c Choice) Under(asked Modes) Choice {
	if c.Algorithm.Collective == OpBarrier {
		return c
	}
	c.Address, c.In, c.Out = Single, asked.In, asked.Out
	if c.Transfer.OneSided() {
		c.Address = asked.Address
	}
	if c.Transfer == PutOnly && c.Out == MySync {
		c.Transfer = Put
	}
	return c
}

// Placed is the choice where members share nodes by a rule.
func (c Choice) Placed(p Places) Choice {
	if c.Places = (Places{}); c.Algorithm.Housed && p.Per != 1 {
		c.Places = p
	}
	return c
}

// Key is the choice at so many ranks.
func (c Choice) Key(ranks int32) (Key, error) {
	p := c.Parameters
	p.Ranks = int(ranks)
	return c.Algorithm.Key(p)
}

// String names the algorithm and those of its parameters that it has.
func (c Choice) String() string {
	words := []string{c.Algorithm.Name}
	if c.Algorithm.Radix != 0 {
		words = append(words, fmt.Sprintf("radix %d", max(int32(c.Radix), 0)))
	}
	if c.Segments > 1 {
		words = append(words, fmt.Sprintf("%d segments", c.Segments))
	}
	if c.Transfer != TwoSided {
		words = append(words, c.Transfer.String())
	}
	return strings.Join(words, ", ")
}
