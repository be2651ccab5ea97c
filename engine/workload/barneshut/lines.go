package barneshut

import (
	"embed"
	"strings"
)

//go:embed *.go
var sources embed.FS

// lines counts the lines of the program with code: for groups (hybrid.go), and all others. The file
// for measurements (comparison.go) is not part of the program.
func lines() (hybrid, others int) {
	files, err := sources.ReadDir(".")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), "_test.go") || f.Name() == "comparison.go" {
			continue
		}
		text, err := sources.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		n := 0
		for _, line := range strings.Split(string(text), "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				n++
			}
		}
		if f.Name() == "hybrid.go" {
			hybrid = n
		} else {
			others += n
		}
	}
	return hybrid, others
}
