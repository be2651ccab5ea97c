package build

import (
	"runtime/debug"
	"testing"
)

// A build reports its module version and commit. A recording stores both as texts, from which the
// same identity follows.
func TestProgram(t *testing.T) {
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "97e54d82bf01aaaabbbbccccddddeeeeffff0000"}
	clean := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v1.2.0", nil, "v1.2.0"},
		{"v1.2.0", []debug.BuildSetting{commit, clean}, "v1.2.0 (97e54d82bf01)"},
		{"v1.2.1-0.20261124171713-97e54d82bf01+dirty", []debug.BuildSetting{commit, changed},
			"v1.2.1-0.20261124171713-97e54d82bf01+dirty (97e54d82bf01, modified)"},
		{"(devel)", []debug.BuildSetting{commit, clean}, "version unknown (97e54d82bf01)"},
		{"(devel)", nil, "version unknown"},
		{"", nil, "version unknown"},
	} {
		p := of(&debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings})
		if p.String() != c.want {
			t.Errorf("%s with %v: %q, want %q", c.version, c.settings, p, c.want)
		}
		if again := Parse(p.Version, p.Build()); again != p {
			t.Errorf("%+v is stored as %q and %q, and read as %+v", p, p.Version, p.Build(), again)
		}
	}
	if p := Parse("(devel)", ""); p != (Program{}) {
		t.Errorf("an early recording without a version is of %+v", p)
	}
}
