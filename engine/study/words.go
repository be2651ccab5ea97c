package study

import "fmt"

// Percent is a share in whole percents.
func Percent(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }

// Figure prints a ratio with two significant digits, whole from ten on.
func Figure(x float64) string {
	if x >= 9.95 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// AnyKind adds to the knobs that rows may differ by those that change how numbers are
// found out, and not what they are: rows of all kinds stand beside each other.
func AnyKind(knobs ...string) []string { return append(knobs, "fabric", "dilation") }

// Alike is the ratio of times below which two of them count as equal.
const Alike = 1.05
