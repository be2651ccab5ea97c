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

// failMismatch fails a call if another member makes another call, or one of another length.
func (x *Run) failMismatch(member int32, signature uint64) {
	x.fail("mismatched collective: rank %d calls %s, this rank %s; call and length must agree on all members",
		member, describeCall(signature), describeCall(x.signature))
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
