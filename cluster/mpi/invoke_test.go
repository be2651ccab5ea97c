//go:build linux && (amd64 || arm64)

package mpi

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ebitengine/purego"
)

// symbol returns the address of a function of the C library.
func symbol(tb testing.TB, name string) uintptr {
	libc, err := purego.Dlopen("libc.so.6", purego.RTLD_NOW)
	if err != nil {
		tb.Skip(err)
	}
	f, err := purego.Dlsym(libc, name)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// buffers are the buffers of TestInvoke. They do not move with a stack.
var buffers = [3][]byte{{2, 0, 0, 80, 127, 0, 0, 1, 15: 0}, make([]byte, 32), make([]byte, 32)}

// TestInvoke calls getnameinfo, which has seven arguments. It writes an address of the family 2 (AF_INET) as text.
func TestInvoke(t *testing.T) {
	const numeric = 1 | 2 // NI_NUMERICHOST, NI_NUMERICSERV
	c, f := &invocation{}, symbol(t, "getnameinfo")
	for _, isShort := range []bool{false, true} {
		if code := c.run(isShort, f, address(buffers[0]), 16, address(buffers[1]), 32, address(buffers[2]), 32, numeric); code != 0 {
			t.Fatalf("code %d", code)
		}
		for i, want := range []string{"127.0.0.1\x00", "80\x00"} {
			if !bytes.HasPrefix(buffers[i+1], []byte(want)) {
				t.Errorf("text %q, want %q", buffers[i+1], want)
			}
		}
		if code := c.run(isShort, f, address(buffers[0]), 1, address(buffers[1]), 32, address(buffers[2]), 32, numeric); code >= 0 {
			t.Errorf("an address of one byte: code %d, want a negative one", code)
		}
		clear(buffers[1])
		clear(buffers[2])
	}
}

// BenchmarkInvoke measures a call of a short C function.
func BenchmarkInvoke(b *testing.B) {
	f, c := symbol(b, "abs"), &invocation{}
	for _, isShort := range []bool{false, true} {
		b.Run(fmt.Sprintf("short=%v", isShort), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.run(isShort, f, 7)
			}
		})
	}
}
