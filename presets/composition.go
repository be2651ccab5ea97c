package presets

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/hybridtop/hybridtop/internal/inputfile"
)

//go:embed compositions/*.toml
var compositionFiles embed.FS

// Composition is a collective that a user composes of other collectives. It is plain data from a
// file. Package coll checks that the algorithms exist and fit together; Wrong adds the position in
// the file to its errors.
type Composition struct {
	Name       string // name of the file
	Title      string
	Paper      string // "paper 5, section 3.5"; "": none
	Collective string
	Parts      []CompositionPart // in the order in which they run

	document *document
}

// CompositionPart is one part of a composition.
type CompositionPart struct {
	Level      string // "": the whole team
	Collective string
	Algorithm  string
	Radix      int // 0: the algorithm's default
}

// String returns the part as the knob composition reads it.
func (p CompositionPart) String() string {
	text := strings.TrimSpace(p.Level + " " + p.Collective + " " + p.Algorithm)
	if p.Radix > 0 {
		text += fmt.Sprintf(" radix %d", p.Radix)
	}
	return text
}

// Key returns the key of part i in the file, from 0.
func (c *Composition) Key(i int) string { return fmt.Sprintf("part-%d", i+1) }

// Text returns the parts as the knob composition reads them.
func (c *Composition) Text() string {
	var all []string
	for _, p := range c.Parts {
		all = append(all, p.String())
	}
	return strings.Join(all, " + ")
}

// Wrong adds the position of a key in the composition's file, for example "part-1", to an error.
func (c *Composition) Wrong(key string, err error) error {
	return c.document.fail(key, "%s", visible(err.Error()))
}

var compositionCatalog = catalog{folder: "compositions", what: "composition", files: &compositionFiles, load: func(file string) error {
	_, err := loadComposition(file)
	return err
}}

// Compositions returns the names of the built-in compositions and of the user's valid files.
func Compositions() []string { return compositionCatalog.names() }

// FindComposition returns the composition with a name. A name that ends in .toml is a file.
func FindComposition(name string) (Composition, error) {
	if strings.HasSuffix(name, ".toml") {
		return loadComposition(name)
	}
	file, data, err := compositionCatalog.find(name)
	if err != nil {
		return Composition{}, err
	}
	return decodeComposition(file, data)
}

func loadComposition(file string) (Composition, error) {
	data, err := inputfile.Read(file, MaxFile)
	if err != nil {
		return Composition{}, err
	}
	return decodeComposition(file, data)
}

// compositionKeys matches the dotted keys of a composition's file. It has at most three parts.
var compositionKeys = regexp.MustCompile(`^(title|paper|collective|part-[1-3](\.(level|collective|algorithm|radix))?)$`)

func suggestCompositionKey(key string) string {
	if strings.HasPrefix(key, "part-") && strings.Contains(key, ".") {
		return "a part has level, collective, algorithm, radix"
	}
	return "want one of title, paper, collective, part-1, part-2, part-3"
}

// decodeComposition decodes the bytes of a composition's file.
func decodeComposition(file string, data []byte) (Composition, error) {
	c := Composition{Name: fileName(file)}
	if c.Name == "" {
		return c, &mistake{file: file, text: "invalid name for a composition; use lower-case letters, digits and dashes, at " +
			"most 40, and the ending .toml"}
	}
	d, err := parse(file, bytes.TrimPrefix(data, []byte("\ufeff")), compositionKeys.MatchString, suggestCompositionKey)
	if err != nil {
		return c, err
	}
	r := &figureReader{document: d}
	c.Title = r.words("title", "what the composition does")
	c.Paper = r.words("paper", "")
	c.Collective = r.name("collective", "allreduce")
	for i := 0; i < 2 || r.has(c.Key(i)); i++ {
		at := c.Key(i) + "."
		p := CompositionPart{Collective: r.name(at+"collective", "allgather"), Algorithm: r.name(at+"algorithm", "ring")}
		if r.has(at + "level") {
			p.Level = r.choice(at+"level", "team", "node", "leaders")
		}
		if r.has(at + "radix") {
			p.Radix = r.whole(at+"radix", 1, 4095)
		}
		c.Parts = append(c.Parts, p)
	}
	if r.err != nil {
		return c, r.err
	}
	c.document = d
	return c, nil
}
