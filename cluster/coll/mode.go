package coll

import (
	"fmt"
	"slices"
	"strings"
)

// Transfer is how the bytes of a message get to the other member.
type Transfer uint8

// The transfers (paper 5, section 3.3).
const (
	TwoSided   Transfer = iota // a send and a receive, eager or by rendezvous as the fabric has it
	Put                        // a put that sets a flag word behind its bytes
	Rendezvous                 // the sender tells where its bytes are, the receiver gets them and acknowledges
	PutOnly                    // a put without a flag: only where nobody passes on what it brings
)

// Address says what a member knows of the others' buffers.
type Address uint8

// The address modes (paper 5, section 2.4).
const (
	Single  Address = iota // where those of all members are
	Local                  // where its own are: the members tell each other
	Bounced                // where its own are: bytes go through buffers of the library
)

// Sync is what a call promises on one side of it (UPC's synchronization modes).
type Sync uint8

// The modes. On the way in they say when the call may read and write, on the way out
// when the program may.
const (
	MySync  Sync = iota // in: the data of members that have begun; out: a member's own data, once it has ended
	AllSync             // in: once all have begun; out: once all data are where they belong
	NoSync              // in: at any time; out: once all members have ended
)

var (
	transferNames = []string{"two-sided", "put", "rendezvous", "put-only"}
	addressNames  = []string{"single", "local", "bounced"}
	syncNames     = []string{"mysync", "allsync", "nosync"}
)

// String names the transfer.
func (t Transfer) String() string { return nameOf(transferNames, int(t)) }

// String names the mode.
func (a Address) String() string { return nameOf(addressNames, int(a)) }

// String names the mode.
func (s Sync) String() string { return nameOf(syncNames, int(s)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "mode?"
}

// Transfers, Addresses and Syncs list the names.
func Transfers() []string { return slices.Clone(transferNames) }

// Addresses lists the names of the address modes.
func Addresses() []string { return slices.Clone(addressNames) }

// Syncs lists the names of the synchronization modes.
func Syncs() []string { return slices.Clone(syncNames) }

// TransferOf gives the transfer of a name.
func TransferOf(name string) (Transfer, error) {
	return named[Transfer]("transfer", transferNames, name)
}

// AddressOf gives the address mode of a name.
func AddressOf(name string) (Address, error) {
	return named[Address]("address mode", addressNames, name)
}

// SyncOf gives the synchronization mode of a name.
func SyncOf(name string) (Sync, error) { return named[Sync]("synchronization mode", syncNames, name) }

func named[T ~uint8](what string, names []string, name string) (T, error) {
	if i := slices.Index(names, name); i >= 0 {
		return T(i), nil
	}
	return 0, fmt.Errorf("%s %q: there are %s", what, name, strings.Join(names, ", "))
}

// OneSided reports whether bytes move by puts or gets.
func (t Transfer) OneSided() bool { return t != TwoSided }

// lands reports whether bytes come to a member whenever the sender has them.
func (t Transfer) lands() bool { return t == Put || t == PutOnly }

// Modes are how a collective moves its bytes, and what it promises about them. The
// zero Modes are two-sided messages.
type Modes struct {
	Transfer Transfer
	Address  Address
	In, Out  Sync
}

// passesOn finds a receive of a put without a flag that others wait for than the end of the
// call; −1: there is none.
func (s *Schedule) passesOn(m Modes) int {
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == Recv && m.unsignaled(n) && !s.final(int32(i)) {
			return i
		}
	}
	return -1
}

// PassesOn reports whether a member goes on with what comes to it by puts without flags,
// which does not see when it is there: such a call is refused.
func (k Key) PassesOn() bool {
	passes := false
	if k.Transfer == PutOnly {
		k.each(k.Blocks(0, 1), func(p *Place, _ int64) { passes = passes || p.Schedule.passesOn(k.Modes) >= 0 })
	}
	return passes
}

// check refuses what goes not together.
func (m Modes) check() error {
	switch {
	case int(m.Transfer) >= len(transferNames), int(m.Address) >= len(addressNames), int(m.In) >= len(syncNames), int(m.Out) >= len(syncNames):
		return fmt.Errorf("modes %d, %d, %d and %d: one of them is none", m.Transfer, m.Address, m.In, m.Out)
	case !m.Transfer.OneSided() && m.Address != Single:
		return fmt.Errorf("address mode %s: two-sided messages need no addresses: use a put or a rendezvous", m.Address)
	case m.Transfer == PutOnly && m.Out == MySync:
		return fmt.Errorf("%s with %s out: a member does not see when its data are there: use %s or %s out, or transfer %s", PutOnly, MySync, AllSync, NoSync, Put)
	}
	return nil
}

// Places say which members of a team share a node, or a process of many threads, by a
// rule. The zero Places are none: each member is alone.
type Places struct {
	Per    int32 // members a place, neighbours by number; the last place may have fewer
	Places int32 // or dealt in turn to so many places
}

// check refuses a rule that is none.
func (p Places) check() error {
	switch {
	case p.Per < 0 || p.Places < 0:
		return fmt.Errorf("%d members a place, %d places: neither may be negative", p.Per, p.Places)
	case p.Per > 0 && p.Places > 0:
		return fmt.Errorf("%d members a place, dealt to %d: give one of them", p.Per, p.Places)
	}
	return nil
}
