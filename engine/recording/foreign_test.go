package recording_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
)

// update rewrites the expected results of testdata/live.htr. The recording itself stays, because it has an earlier format.
var update = flag.Bool("update", false, "rewrite the expected results of the recording in testdata")

// A live run recorded on amd64 has the same numbers on any other host, in JSON and in snapshots.
// `make 386` runs this in a 32-bit program. Every later version can read the tables; snapshots
// depend on the version that wrote them.
func TestRecordingOfAnotherHost(t *testing.T) {
	const file, golden = "testdata/live.htr", "testdata/live.json"
	f := open(t, file)
	if f.Runs[0].Arch != "amd64" {
		t.Errorf("recorded on %s: want amd64", f.Runs[0].Arch)
	}
	var b bytes.Buffer
	if err := f.Export(&b, "json", recording.ExportOptions{Run: f.Runs[0].ID}); err != nil {
		t.Fatal(err)
	}
	p, err := f.Player(f.Runs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	sum, n := sha256.New(), 0
	var replayed error
	for at, more := p.Begin(), true; more; at, more = p.Next(at) {
		s, err := p.At(at)
		if err != nil {
			replayed = err
			break
		}
		plain := *s
		plain.Scenario = engine.Scenario{} // it gets the knobs that only this program has
		sum.Write(new(engine.Encoder).Append(nil, &plain))
		n++
	}
	hash := hex.EncodeToString(sum.Sum(nil)) + "\n"
	if *update {
		for name, data := range map[string][]byte{golden: b.Bytes(), "testdata/live.sha256": []byte(hash)} {
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("JSON differs from amd64:\n%s", b.String())
	}
	wanted, err := os.ReadFile("testdata/live.sha256")
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case replayed != nil && strings.Contains(replayed.Error(), "version"):
		t.Logf("snapshots of another version: %v", replayed)
	case replayed != nil:
		t.Error(replayed)
	case hash != string(wanted):
		t.Errorf("%d snapshots differ from amd64: hash %s (use go test -update if the format of snapshots has changed)", n,
			strings.TrimSpace(hash))
	}
}
