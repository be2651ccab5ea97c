package gemm_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
)

// BenchmarkSUMMA simulates a product of paper 5, figure 10, at q = 16, with two panels prefetched
// and eight slices. It measures the host's time, including launch and verification.
func BenchmarkSUMMA(b *testing.B) {
	for _, transfer := range []string{"two-sided", "put"} {
		b.Run("transfer="+transfer+"/ranks=256", func(b *testing.B) {
			for b.Loop() {
				s, err := sessiontest.Run("gemm", nil, 1, "fabric", "sim", "machine", "xt4-franklin", "nodes", "256",
					"ranks-per-node", "1", "n", "131072", "block", "256",
					"cores", "4", "algorithm", "knomial", "ahead", "2", "slices", "8", "transfer", transfer)
				if err != nil || !s.Verification.OK {
					b.Fatalf("%v, %+v", err, s.Verification)
				}
			}
		})
	}
}
