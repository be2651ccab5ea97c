package beff

import "fmt"

// fixedRings is the number of b_eff's patterns of rings in the order of the ranks.
const fixedRings = 6

// wrongPatterns describes the first error of the patterns of some processes, or returns "". Without
// messages, every message arrives.
func wrongPatterns(all []pattern, name string, randoms, processes int) string {
	fixed, least, most := fixedRings, min(processes-1, 1), ringSides
	if name == patternCubes {
		fixed, randoms, least, most = 1, 0, 0, gridSides // the grid may leave out some processes
	}
	random := 0
	for at := range all {
		t := &all[at]
		if t.random {
			random++
		}
		if wrong := t.wrong(processes, least, most); wrong != "" {
			return fmt.Sprintf("pattern %d: %s", at+1, wrong)
		}
	}
	if len(all) != fixed+randoms || random != randoms {
		return fmt.Sprintf("%d patterns, %d of them random: want %d, %d of them random", len(all), random, fixed+randoms, randoms)
	}
	return ""
}

// wrong describes the first error of a pattern, or returns "". Each process has this number
// of neighbours, and each neighbour expects its message.
func (t *pattern) wrong(processes, least, most int) string {
	messages := 0
	for i, exchanges := range t.exchanges {
		messages += len(exchanges)
		if n := len(exchanges); n < least || n > most {
			return fmt.Sprintf("process %d has %d neighbours, want %d to %d", i, n, least, most)
		}
		for k, e := range exchanges {
			if e.to < 0 || e.to >= processes || e.to == i && processes > 1 {
				return fmt.Sprintf("process %d sends to process %d of %d", i, e.to, processes)
			}
			if back := t.exchanges[e.to]; k >= len(back) || back[k].from != i {
				return fmt.Sprintf("process %d does not expect message %d of process %d", e.to, k, i)
			}
		}
	}
	if len(t.exchanges) != processes || messages == 0 && processes > 1 || messages != t.messages {
		return fmt.Sprintf("%d messages of %d processes, want %d of %d", t.messages, len(t.exchanges), messages, processes)
	}
	return ""
}

// wrongSizes describes the first error of message sizes by a definition, or returns "".
func wrongSizes(all []int64, definition string) string {
	first, doubled := int64(8), len(all) // sizes of which each one is twice the one before
	if definition == sizesOriginal {
		first, doubled = 1, min(13, len(all)) // 1 B to 4 kB
	}
	for i, n := range all {
		if want := first << i; i < doubled && n != want {
			return fmt.Sprintf("message size %d is %d B, want %d B (sizes = %s)", i+1, n, want, definition)
		}
		if i >= max(doubled, 1) && n <= all[i-1] {
			return fmt.Sprintf("message size %d is %d B, but the one before is %d B", i+1, n, all[i-1])
		}
	}
	if len(all) == 0 {
		return "there are no message sizes"
	}
	return ""
}

// wrongMethods describes methods that the knob does not name, or returns "".
func wrongMethods(all []string, knob string) string {
	if isBest := knob == "best"; isBest && len(all) == 3 || !isBest && len(all) == 1 && all[0] == knob {
		return ""
	}
	return fmt.Sprintf("the methods are %q (method = %s)", all, knob)
}
