package sim

// Revision identifies the cost rules of the simulator. It is a checksum of the hashes of simulated
// runs in cmd/hybridtop/testdata/hashes.txt, so that no rule that changes a hash keeps it. Do not
// edit it: go test ./cmd/hybridtop -run Hash -update writes it with the hashes.
const Revision = "7e6d3e98"
