package coll

import (
	"fmt"
	"slices"
	"strings"
)

// Transfer is the way that the bytes of a message reach the other member.
type Transfer uint8

// The transfers (paper 5, section 3.3).
const (
	TwoSided   Transfer = iota // a send and a receive, eager or rendezvous as the fabric decides
	Put                        // a put that sets a flag after its bytes
	Rendezvous                 // the sender sends the address of its bytes, the receiver gets them and acknowledges
	PutOnly                    // a put without a flag: only if no member passes on the received bytes
)

// Address states which buffer addresses a member knows.
type Address uint8

// The address modes (paper 5, section 2.4).
const (
	Single  Address = iota // the addresses on all members
	Local                  // its own addresses: the members exchange them
	Bounced                // its own addresses: bytes go through bounce buffers
)

// Sync is a call's guarantee at its begin or its end (UPC's synchronization modes).
type Sync uint8

// The modes. At the begin (in) they state when the call may read and write data, at the end (out)
// when the program may.
const (
	MySync  Sync = iota // in: data of members that have begun; out: a member's own data after its call has ended
	AllSync             // in: after all members have begun; out: after all data have arrived everywhere
	NoSync              // in: at any time; out: after all members have ended
)

var (
	transferNames = []string{"two-sided", "put", "rendezvous", "put-only"}
	addressNames  = []string{"single", "local", "bounced"}
	syncNames     = []string{"mysync", "allsync", "nosync"}
)

// String returns the name of the transfer.
func (t Transfer) String() string { return nameOf(transferNames, int(t)) }

// String returns the name of the mode.
func (a Address) String() string { return nameOf(addressNames, int(a)) }

// String returns the name of the mode.
func (s Sync) String() string { return nameOf(syncNames, int(s)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "mode?"
}

// Transfers returns the names of the transfers.
func Transfers() []string { return slices.Clone(transferNames) }

// Addresses returns the names of the address modes.
func Addresses() []string { return slices.Clone(addressNames) }

// Syncs returns the names of the synchronization modes.
func Syncs() []string { return slices.Clone(syncNames) }

// TransferOf returns the transfer with a name.
func TransferOf(name string) (Transfer, error) {
	return named[Transfer]("transfer", transferNames, name)
}

// AddressOf returns the address mode with a name.
func AddressOf(name string) (Address, error) {
	return named[Address]("address mode", addressNames, name)
}

// SyncOf returns the synchronization mode with a name.
func SyncOf(name string) (Sync, error) { return named[Sync]("synchronization mode", syncNames, name) }

func named[T ~uint8](what string, names []string, name string) (T, error) {
	if i := slices.Index(names, name); i >= 0 {
		return T(i), nil
	}
	return 0, fmt.Errorf("%s %q: want one of %s", what, name, strings.Join(names, ", "))
}

// OneSided reports whether bytes move by puts or gets.
func (t Transfer) OneSided() bool { return t != TwoSided }

// lands reports whether bytes arrive at a member without its participation.
func (t Transfer) lands() bool { return t == Put || t == PutOnly }

// Modes are the way that a collective moves its bytes, and its guarantees. The zero Modes are
// two-sided messages.
type Modes struct {
	Transfer Transfer
	Address  Address
	In, Out  Sync
}

// passesOn returns a receive of a put without a flag that another node waits for; −1: none. The end
// of the call does not count.
func (s *Schedule) passesOn(m Modes) int {
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == Recv && m.isUnsignaled(n) && !s.isFinal(int32(i)) {
			return i
		}
	}
	return -1
}

// PassesOn reports whether a member uses data that arrive by puts without flags. It cannot detect
// their arrival, so such a call is an error.
func (k Key) PassesOn() bool {
	passes := false
	if k.Transfer == PutOnly {
		k.eachClass(k.Blocks(0, 1), func(p *Place, _ int64) { passes = passes || p.Schedule.passesOn(k.Modes) >= 0 })
	}
	return passes
}

// check returns an error if the modes do not fit together.
func (m Modes) check() error {
	switch {
	case int(m.Transfer) >= len(transferNames), int(m.Address) >= len(addressNames), int(m.In) >= len(syncNames),
		int(m.Out) >= len(syncNames):
		return fmt.Errorf("modes %d, %d, %d and %d: one of them is invalid", m.Transfer, m.Address, m.In, m.Out)
	case !m.Transfer.OneSided() && m.Address != Single:
		return fmt.Errorf("address mode %s: two-sided messages need no addresses (use transfer put or rendezvous)", m.Address)
	case m.Transfer == PutOnly && m.Out == MySync:
		return fmt.Errorf("%s with %s out: a member cannot detect the arrival of its data (use %s or %s out, or "+
			"transfer %s)", PutOnly, MySync, AllSync, NoSync, Put)
	}
	return nil
}

// Places is the rule by which members of a team share a node, or a process with several threads.
// With the zero Places each member is alone.
type Places struct {
	Per    int32 // members per place, with consecutive numbers; the last place may have fewer
	Places int32 // or the number of places, to which members are assigned round-robin
}

// check returns an error if the rule is invalid.
func (p Places) check() error {
	switch {
	case p.Per < 0 || p.Places < 0:
		return fmt.Errorf("%d members per place, %d places: want no negative number", p.Per, p.Places)
	case p.Per > 0 && p.Places > 0:
		return fmt.Errorf("%d members per place and %d places: set only one of them", p.Per, p.Places)
	}
	return nil
}
