package cluster

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// Limits of a rank file.
const (
	maxRankFile = 1 << 20 // bytes
	maxRankLine = 16      // bytes
)

// ReadRanking reads a rank file: line n has the position of rank n − 1, in decimal. The file is
// untrusted. Errors have its name and the line.
func ReadRanking(file io.Reader, name string) (Ranking, error) {
	content, err := io.ReadAll(io.LimitReader(file, maxRankFile+1))
	if err != nil {
		return "", fmt.Errorf("%.200q: %w", name, err)
	}
	if len(content) > maxRankFile {
		return "", fmt.Errorf("%.200q: more than %d MiB", name, maxRankFile>>20)
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(make([]byte, 4096), 4096)
	var all, line []int32 // line of each position
	fail := func(format string, args ...any) (Ranking, error) {
		return "", fmt.Errorf("%.200q, line %d: "+format, append([]any{name, len(all) + 1}, args...)...)
	}
	for lines.Scan() {
		text := lines.Text()
		at, err := strconv.ParseUint(text, 10, 32)
		switch {
		case len(text) > maxRankLine:
			return fail("%d bytes: want the position of rank %d, at most %d bytes", len(text), len(all), maxRankLine)
		case err != nil:
			return fail("%q: want the position of rank %d, a whole number", text, len(all))
		case at >= MaxRanks:
			return fail("position %d: want at most %d", at, MaxRanks-1)
		}
		for int(at) >= len(line) {
			line = append(line, 0)
		}
		if line[at] != 0 {
			return fail("position %d is also on line %d: want every position once", at, line[at])
		}
		all = append(all, int32(at))
		line[at] = int32(len(all))
	}
	if lines.Err() != nil { // a line longer than the buffer
		return fail("want the position of rank %d, at most %d bytes", len(all), maxRankLine)
	}
	if len(all) == 0 {
		return fail("want the position of rank 0, got an empty file")
	}
	for rank, at := range all {
		if int(at) >= len(all) {
			return "", fmt.Errorf("%.200q, line %d: position %d: want 0 to %d, because the file has %d lines", name, rank+1, at,
				len(all)-1, len(all))
		}
	}
	list := ListOf(all)
	if len(list) > MaxRankingText {
		return "", fmt.Errorf("%.200q: the positions are %d bytes of text with runs such as 4-7: want at most %d", name,
			len(list), MaxRankingText)
	}
	return list, nil
}
