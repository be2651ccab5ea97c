package coll

// wordHash is an FNV-1a hash of words.
type wordHash uint64

// The parameters of FNV-1a with 64 bits.
const (
	emptyHash wordHash = 14695981039346656037
	hashPrime wordHash = 1099511628211
)

// add adds words to the hash.
func (h *wordHash) add(words ...int32) {
	for _, w := range words {
		*h = (*h ^ wordHash(uint32(w))) * hashPrime
	}
}
