package host

import (
	"testing"
	"testing/fstest"
)

// What the process has already is its own: a run takes the place of the one before it.
func TestLimitIsWhatIsFreeAndWhatIsOurs(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	root := fstest.MapFS{
		"proc/meminfo":     file("MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    3000000 kB\n"),
		"proc/self/status": file("VmRSS:\t   70000 kB\nRssAnon:\t   50000 kB\nRssFile:\t   20000 kB\n"),
	}
	if got, want := limit(root), int64(3050000)<<10; got != want {
		t.Errorf("limit %d, want %d", got, want)
	}
	delete(root, "proc/meminfo")
	if got := limit(root); got != 0 {
		t.Errorf("limit %d where the system says nothing", got)
	}
}

func TestThisHostHasALimit(t *testing.T) {
	if Limit() < 1<<20 {
		t.Errorf("limit %d", Limit())
	}
}
