package coll

import "fmt"

// A signature is one word that describes a call. Members publish it on the shared control block, so
// that others detect a different call. From the high to the low bits it has the algorithm, the root,
// and the length in bytes modulo 4 GiB.
const (
	algorithmShift = 56
	rootShift      = 32
	rootMask       = 1<<(algorithmShift-rootShift) - 1
)

// signatureOf returns the signature of a call.
func signatureOf(a *Algorithm, root int32, bytes int64) uint64 {
	return uint64(a.id)<<algorithmShift | uint64(root)<<rootShift | uint64(uint32(bytes))
}

// countBits is the number of low bits of a mark that count the marks.
const countBits = 16

// markOf returns the word that each mark of a call adds to the sum next to the slot's arrival flag: a
// count, and above it the mixed signature.
func markOf(signature uint64) uint64 {
	signature ^= signature >> 29
	return signature*0x9e3779b97f4a7c15<<countBits | 1
}

// callsAgree reports whether all marks that have arrived in the slot come from members that make the
// same call. If so, the marks that this member waited for come from the right members, and their
// buffers may be loaded.
func (x *Run) callsAgree() bool {
	sum := x.comm.board.Words[arrivalFlag(x.boardSlot)].Calls.Load() - x.callsBefore
	return sum == sum&(1<<countBits-1)*markOf(x.signature)
}

// failMismatch fails a call if another member makes another call, or one of another length.
func (x *Run) failMismatch() {
	signatures := x.comm.board.Notes(x.boardSlot)
	other := 0
	for i := range signatures {
		if s := signatures[i].Load(); s != x.signature && s != 0 {
			other = i
			break
		}
	}
	x.fail("mismatched collective: rank %d calls %s, this rank %s; call and length must agree on all members",
		other, describeCall(signatures[other].Load()), describeCall(x.signature))
}

// describeCall names the call of a signature.
func describeCall(signature uint64) string {
	for _, a := range registry {
		if uint64(a.id) != signature>>algorithmShift {
			continue
		}
		text := fmt.Sprintf("%s by %s", a.Collective, a.Name)
		if a.Collective.Rooted() {
			text += fmt.Sprintf(" with root %d", signature>>rootShift&rootMask)
		}
		return fmt.Sprintf("%s of %d B", text, uint32(signature))
	}
	return "nothing"
}
