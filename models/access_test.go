package models_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/models"
)

func accesses(t rapid.TB, c models.AccessCosts, size int) map[string]models.Access {
	t.Helper()
	all, err := c.Accesses(size)
	if err != nil {
		t.Fatal(err)
	}
	by := make(map[string]models.Access)
	for _, a := range all {
		by[a.Name] = a
	}
	return by
}

// rate returns b(size) = b∞ / (1 + b∞·T_lat/size) in B/s, as paper 2 writes it in table 2.
func rate(l models.Link, size float64) float64 { return l.Bandwidth / (1 + l.HalfSize()/size) }

// Paper 2, table 2: 300 MB/s / (1 + 300 MB/s · 10 µs / 10 kB) = 232 MB/s (so that
// 10 kB are 10,240 bytes; 10,000 would give 231), 8 byte / 0.33 µs = 24 MB/s.
// Section 7.3: 0.33-1 µs are 24-8 MB/s.
func TestTable2(t *testing.T) {
	all, err := models.PaperAccess.Accesses(10240)
	if err != nil {
		t.Fatal(err)
	}
	var copies []int
	for _, a := range all {
		copies = append(copies, a.Copies)
	}
	if diff := cmp.Diff([]int{2, 1, 1, 0, 0, 1}, copies); diff != "" {
		t.Errorf("copies (-published +got):\n%s", diff)
	}
	paper := accesses(t, models.PaperAccess, 10240)
	near(t, "two-sided, MB/s", paper["two-sided"].Value/1e6, 232, 1)
	near(t, "word, MB/s", paper["word"].Value/1e6, 24, 1)
	near(t, "pre-fetch, MB/s", paper["prefetch"].Value/1e6, 300, 1e-9)
	near(t, "buffering against one-sided", paper["buffering"].Value/paper["one-sided"].Value, 1, 1e-12)
	slow := models.PaperAccess
	slow.WordLatency = 1e-6
	near(t, "word at 1 µs, MB/s", accesses(t, slow, 10240)["word"].Value/1e6, 8, 1e-9)
	// Pages are extremely poor if only parts are needed: here one word per page.
	if part := accesses(t, models.PaperAccess, 8); part["page"].Value > 0.05*part["word"].Value {
		t.Errorf("one word of a page at %v B/s, single words at %v B/s", part["page"].Value, part["word"].Value)
	}
}

// TestPagesOfStridedWords tests that every requested word of a large stride is in another page, which carries 4096 bytes for 8. Half a
// page apart, two words share a page. A write carries each page twice.
func TestPagesOfStridedWords(t *testing.T) {
	for _, c := range []struct {
		stride int
		write  bool
		pages  float64
	}{{1, false, 1}, {256, false, 32}, {512, false, 64}, {5000, false, 64}, {512, true, 128}} {
		costs := models.PaperAccess
		costs.Stride, costs.Write = c.stride, c.write
		near(t, "s per access", 512/accesses(t, costs, 512)["page"].Value, c.pages*(10e-6+4096/300e6), 1e-12)
	}
}

// The dominant term is latency below n½, and transfer above it.
func TestTermsOfAccess(t *testing.T) {
	link := models.PaperAccess.TwoSided
	if got := link.HalfSize(); math.Abs(got-3000) > 1e-9 {
		t.Errorf("n½ = %v B, want 3000", got)
	}
	near(t, "b(n½)/b∞", rate(link, 3000)/link.Bandwidth, 0.5, 1e-12)
	for size, want := range map[int]string{8: models.TermLatency, 2999: models.TermLatency, 3001: models.TermTransfer,
		1 << 20: models.TermTransfer} {
		if got := accesses(t, models.PaperAccess, size)["two-sided"].Dominant(); got.Name != want || got.Unit != "s" {
			t.Errorf("%d bytes: %+v dominates, want %s", size, got, want)
		}
	}
}

func TestAccessProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		link := rapid.Custom(func(t *rapid.T) models.Link {
			return models.Link{Bandwidth: rapid.Float64Range(1e6, 1e12).Draw(t, "b∞"),
				Latency: rapid.Float64Range(0, 1e-3).Draw(t, "T_lat")}
		})
		c := models.AccessCosts{
			TwoSided: link.Draw(t, "two-sided"), OneSided: link.Draw(t, "one-sided"),
			WordLatency: rapid.Float64Range(1e-9, 1e-3).Draw(t, "word"),
			WordSize:    1 << rapid.IntRange(0, 4).Draw(t, "log word size"),
			PageSize:    1 << rapid.IntRange(6, 21).Draw(t, "log page size"),
		}
		size := rapid.IntRange(1, 1<<30).Draw(t, "size")
		at, larger := accesses(t, c, size), accesses(t, c, size+rapid.IntRange(0, 1<<20).Draw(t, "more"))
		const slack = 1 + 1e-9
		for name, l := range map[string]models.Link{"two-sided": c.TwoSided, "one-sided": c.OneSided,
			"buffering": c.OneSided} {
			if b := at[name].Value; math.Abs(b/rate(l, float64(size))-1) > 1e-9 || b > l.Bandwidth*slack ||
				larger[name].Value*slack < b {
				t.Fatalf("%s: %v B/s of %v, want table 2's %v; larger messages %v", name, b, l.Bandwidth, rate(l, float64(size)),
					larger[name].Value)
			}
		}
		if whole := float64(c.WordSize) / c.WordLatency; at["word"].Value > whole*slack ||
			size%c.WordSize == 0 && at["word"].Value*slack < whole {
			t.Fatalf("words: %v B/s, whole ones %v", at["word"].Value, whole)
		}
		if at["page"].Value > at["one-sided"].Value*slack || at["one-sided"].Value > at["prefetch"].Value*slack {
			t.Fatalf("want pages %v ≤ one-sided %v ≤ pre-fetch %v", at["page"].Value, at["one-sided"].Value,
				at["prefetch"].Value)
		}
		for name, a := range at {
			if sum := a.Sum[0].Value + a.Sum[1].Value; math.Abs(float64(size)/sum/a.Value-1) > 1e-12 || a.Unit != "B/s" {
				t.Fatalf("%s: %v B/s does not follow from its terms %+v", name, a.Value, a.Sum)
			}
		}
	})
}

func TestAccessRefusesNonsense(t *testing.T) {
	for _, c := range []struct {
		change func(*models.AccessCosts)
		size   int
		want   string
	}{
		{func(*models.AccessCosts) {}, 0, "an access of 0 bytes: want at least 1"},
		{func(c *models.AccessCosts) { c.PageSize = 0 }, 8, "words of 8 bytes and pages of 0: want at least 1"},
		{func(c *models.AccessCosts) { c.Stride = -1 }, 8, "stride of -1 words: want at least 0"},
		{func(c *models.AccessCosts) { c.WordLatency = 0 }, 8, "word: latency 0 s: want a number of seconds above 0"},
		{func(c *models.AccessCosts) { c.TwoSided.Bandwidth = math.NaN() }, 8,
			"two-sided: bandwidth NaN B/s: want a number above 0"},
		{func(c *models.AccessCosts) { c.OneSided.Latency = -1 }, 8,
			"one-sided: latency -1 s: want a number of seconds, not negative"},
	} {
		costs := models.PaperAccess
		c.change(&costs)
		if _, err := costs.Accesses(c.size); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
