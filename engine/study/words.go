package study

import "fmt"

// Percent prints a share in whole percent.
func Percent(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }

// Figure prints a ratio with two significant digits, as a whole number from ten.
func Figure(x float64) string {
	if x >= 9.95 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// AnyKind adds the knobs that change the kind of numbers but not their meaning. Rows of all kinds
// are then compared.
func AnyKind(knobs ...string) []string { return append(knobs, "fabric", "dilation") }

// Alike is the ratio of times below which two of them count as equal.
const Alike = 1.05
