package tuner

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

// TestWriteNCCL checks every line of a file. Sizes of allgather and reducescatter count the blocks of all ranks. Choices
// with the same algorithm of NCCL share a line, and a choice that NCCL does not have has none.
func TestWriteNCCL(t *testing.T) {
	var rules []coll.Rule
	add := func(c coll.Collective, ranks, perNode int32, bytes int64, name string, radix, segments int) {
		rules = append(rules, coll.Rule{Tuple: coll.Tuple{Collective: c, Ranks: ranks, PerNode: perNode, Bytes: bytes},
			Choices: []coll.Choice{choice(t, c, name, radix, segments)}})
	}
	add(coll.OpAllreduce, 16, 8, 0, "recursive-doubling", 0, 1)
	add(coll.OpAllreduce, 16, 8, 1024, "reduce-bcast", 2, 1)
	add(coll.OpAllreduce, 16, 8, 8192, "reduce-bcast", 2, 4)
	add(coll.OpAllreduce, 16, 8, 65536, "ring", 0, 1)
	add(coll.OpAllreduce, 64, 8, 0, "reduce-bcast", 8, 1)
	add(coll.OpAllreduce, 64, 8, 65536, "ring", 0, 1)
	add(coll.OpAllreduce, 32, 4, 0, "ring", 0, 1) // of another number of ranks per node
	add(coll.OpAllgather, 16, 8, 0, "bruck", 2, 1)
	add(coll.OpAllgather, 16, 8, 4096, "ring", 0, 1)
	add(coll.OpBcast, 16, 8, 0, "knomial", 2, 1)
	add(coll.OpBcast, 16, 8, 65536, "chain", 0, 8)
	add(coll.OpScan, 16, 8, 0, "chain", 0, 1) // NCCL has no scan
	table, err := coll.NewTable(rules)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteNCCL(&b, table, 8); err != nil {
		t.Fatal(err)
	}
	const want = `# collective,minBytes,maxBytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff
# NCCL decides: broadcast knomial, allreduce recursive-doubling, allreduce reduce-bcast
broadcast,65536,4294967295,ring,simple,-1,2,16,-1,-1
allgather,0,65535,pat,simple,-1,2,16,-1,-1
allgather,65536,4294967295,ring,simple,-1,2,16,-1,-1
allreduce,1024,65535,tree,simple,-1,2,16,-1,-1
allreduce,65536,4294967295,ring,simple,-1,2,16,-1,-1
allreduce,65536,4294967295,ring,simple,-1,8,64,-1,-1
`
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > 255 { // MAX_LINE_LENGTH of the plugin
			t.Errorf("%d bytes: %s", len(line), line)
		}
	}
	if err := WriteNCCL(&b, table, 16); err != errNoRules {
		t.Errorf("a table without teams of 16 ranks per node: %v", err)
	}
}
