package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// checkFlags returns an error if a flag has an empty text, or excludes another one. A shell passes an empty
// text for an unset variable. Cobra would report flags that exclude each other without saying what to do.
func checkFlags(flags *pflag.FlagSet) error {
	var wrong error
	flags.Visit(func(f *pflag.Flag) {
		if wrong == nil && f.Value.Type() == "string" && f.Value.String() == "" {
			wrong = fmt.Errorf("--%s: the value is empty: want a value, or no --%[1]s", f.Name)
		}
		for _, group := range f.Annotations[exclusive] {
			var given []string
			for name := range strings.FieldsSeq(group) {
				if flags.Changed(name) {
					given = append(given, "--"+name)
				}
			}
			if wrong == nil && len(given) > 1 {
				wrong = fmt.Errorf("%s exclude each other: want only one of them", strings.Join(given, " and "))
			}
		}
	})
	return wrong
}

// exclusive is cobra's annotation of a flag that excludes others: lists of names.
const exclusive = "cobra_annotation_mutually_exclusive"
