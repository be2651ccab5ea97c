//go:build !(linux && (amd64 || arm64))

package host

import (
	"errors"
	"fmt"
)

// Share returns an error: it needs Linux and a large address space.
func Share(int64) (*Shared, error) {
	return nil, fmt.Errorf("host: shared memory: %w", errors.ErrUnsupported)
}

// MapShared returns an error, like Share.
func MapShared(string, int64) (*Shared, error) { return Share(0) }

// Close does nothing.
func (*Shared) Close() error { return nil }
