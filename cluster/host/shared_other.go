//go:build !linux

package host

import (
	"errors"
	"fmt"
)

// Share returns an error: only Linux has memory that processes can share without a file.
func Share(int64) (*Shared, error) {
	return nil, fmt.Errorf("host: shared memory: %w", errors.ErrUnsupported)
}

// MapShared returns an error, like Share.
func MapShared(string, int64) (*Shared, error) { return Share(0) }

// Close implements the method of Linux.
func (*Shared) Close() error { return nil }
