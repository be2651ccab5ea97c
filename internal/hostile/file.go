package hostile

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
)

// Text is a text that a terminal would obey: the clipboard, the screen, C1, DEL and the order of text.
const Text = "x\x1b]52;c;eA==\x07\x1b[2J\u009b31m\u202e\x7f"

// The environment of a long or repeated test.
const (
	conformVariable = "CONFORM"
	seedVariable    = "MUTATED_SEED"
)

// Numbers of files: of a short test, of one batch, and with CONFORM=1.
const (
	few   = 20
	Batch = 100
	many  = 2000
)

// Seed returns the seed of a test, and reports whether it comes from the environment.
func Seed(t *testing.T) (seed uint64, isGiven bool) {
	t.Helper()
	text := os.Getenv(seedVariable)
	if text == "" {
		return uint64(time.Now().UnixNano()), false
	}
	if _, err := fmt.Sscan(text, &seed); err != nil {
		t.Fatalf("%s: %v", seedVariable, err)
	}
	return seed, true
}

// Files returns damaged copies of a file: 20, or 2,000 with CONFORM=1, or 100 with MUTATED_SEED. The
// name of the test selects the random stream.
func Files(t *testing.T, valid []byte) iter.Seq[[]byte] {
	t.Helper()
	n := few
	seed, isGiven := Seed(t)
	switch {
	case isGiven:
		n = Batch
	case os.Getenv(conformVariable) != "":
		n = many
	}
	t.Logf("%s=%d", seedVariable, seed)
	return func(yield func([]byte) bool) {
		h := fnv.New64a()
		h.Write([]byte(t.Name()))
		rng := rand.New(rand.NewPCG(seed, h.Sum64()))
		for range n {
			b := bytes.Clone(valid)
			change := changeBytes
			if rng.IntN(2) == 0 {
				change = changeWords
			}
			for range 1 + rng.IntN(4) {
				b = change(rng, b)
			}
			if !yield(b) {
				return
			}
		}
	}
}

// changeBytes inserts, removes or overwrites some bytes.
func changeBytes(rng *rand.Rand, b []byte) []byte {
	at := rng.IntN(len(b) + 1)
	switch rng.IntN(4) {
	case 0:
		return append(b[:at:at], append([]byte(Text), b[at:]...)...)
	case 1:
		return append(b[:at:at], b[min(at+rng.IntN(20), len(b)):]...)
	case 2:
		copy(b[at:], Text)
	default:
		if at < len(b) {
			b[at] = byte(rng.IntN(256))
		}
	}
	return b
}

var (
	numbers = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)
	words   = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_-]*`)
)

// changeWords changes a number, replaces a word by another one of the file, or moves a line.
func changeWords(rng *rand.Rand, b []byte) []byte {
	pick := func(what *regexp.Regexp) []int {
		all := what.FindAllIndex(b, -1)
		if len(all) == 0 {
			return []int{0, 0}
		}
		return all[rng.IntN(len(all))]
	}
	replace := func(at []int, by string) []byte {
		return append(append(bytes.Clone(b[:at[0]]), by...), b[at[1]:]...)
	}
	switch rng.IntN(6) {
	case 0, 1:
		return replace(pick(numbers), strconv.Itoa(rng.IntN(100)))
	case 2:
		return replace(pick(numbers), []string{"0", "-1", "1e300", "9223372036854775807", "0.5", "nan"}[rng.IntN(6)])
	case 3, 4:
		other := pick(words)
		return replace(pick(words), string(b[other[0]:other[1]]))
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	from, to := rng.IntN(len(lines)), rng.IntN(len(lines))
	lines[from], lines[to] = lines[to], lines[from]
	return bytes.Join(lines, nil)
}

// Check fails if a text has bytes other than UTF-8, bidirectional controls, or control characters other
// than tab and line feed.
func Check(t *testing.T, what, text string) {
	t.Helper()
	bad := func(r rune) bool {
		return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}
	if at := strings.IndexFunc(text, bad); at >= 0 || strings.ToValidUTF8(text, "") != text {
		t.Errorf("%s writes %q", what, text[max(at-100, 0):min(max(at, 0)+100, len(text))])
	}
}
