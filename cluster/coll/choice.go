package coll

import (
	"fmt"
	"math/bits"
	"strings"
)

// Tuple is a configuration: the properties of a call that determine the choice of an algorithm.
type Tuple struct {
	Collective Collective
	Ranks      int32 // of the team
	PerNode    int32 // ranks per node; 0: one
	Bytes      int64 // of a block if each member has a block, otherwise of all data
	Lacks      Needs // properties that the call does not have: a commutative reduction, equal blocks
	Modes      Modes // required addresses and synchronization; the transfer is chosen
}

// String describes the configuration.
func (t Tuple) String() string {
	return fmt.Sprintf("%s, ranks %d, per node %d, size %d", t.Collective, t.Ranks, max(t.PerNode, 1), t.Bytes) +
		t.Modes.Words()
}

// Words describes the required addresses and synchronization, if they are not the default.
func (m Modes) Words() string {
	m.Transfer = 0
	if m == (Modes{}) {
		return ""
	}
	return fmt.Sprintf(", addresses %s, %s in, %s out", m.Address, m.In, m.Out)
}

// Choice is an algorithm with its parameters, for a team of any size; Ranks is 0.
type Choice struct {
	Algorithm *Algorithm
	Parameters
}

// Takes reports whether the algorithm supports a configuration.
func (a *Algorithm) Takes(t Tuple) bool {
	return a.Collective == t.Collective && a.Needs&t.Lacks == 0 &&
		(a.Needs&PowerOfTwo == 0 || powerOfTwo(t.Ranks)) &&
		(a.Needs&Reach == 0 || max(t.PerNode, 1) >= t.Ranks) &&
		(a.Needs&EvenRanks == 0 || t.Ranks%2 == 0 || t.Ranks == 1)
}

func powerOfTwo(n int32) bool { return bits.OnesCount32(uint32(n)) == 1 }

// Under returns the choice for the required addresses and synchronization.
func (c Choice) Under(required Modes) Choice {
	if c.Algorithm.Collective == OpBarrier {
		return c
	}
	c.Address = Single
	c.In, c.Out = required.In, required.Out
	if c.Transfer.OneSided() {
		c.Address = required.Address
	}
	if c.Transfer == PutOnly && c.Out == MySync {
		c.Transfer = Put
	}
	return c
}

// Placed returns the choice for members that share nodes.
func (c Choice) Placed(p Places) Choice {
	c.Places = (Places{})
	if c.Algorithm.UsesPlaces && p.Per != 1 {
		c.Places = p
	}
	return c
}

// Key returns the choice for a number of ranks.
func (c Choice) Key(ranks int32) (Key, error) {
	p := c.Parameters
	p.Ranks = int(ranks)
	return c.Algorithm.Key(p)
}

// String returns the name of the algorithm and its parameters.
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
