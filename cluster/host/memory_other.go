//go:build !linux && !darwin

package host

import "io/fs"

// bounds are unknown on this system.
func bounds(fs.FS) []Bound { return nil }
