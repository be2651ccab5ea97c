//go:build linux && (amd64 || arm64)

package mpi

import "unsafe"

// maxArguments is the maximum number of arguments of a function, that of MPI_Isend.
const maxArguments = 7

// invocation is a call of a C function. The assembly code knows its layout. Buffers that its
// arguments point to must be on the heap, because stacks move.
type invocation struct {
	function  uintptr
	arguments [maxArguments]uintptr
	result    uintptr
}

// invokeAddress is the address of invoke, which calls the function of an invocation.
var invokeAddress uintptr

// cgocall calls a C function on the stack of the thread. purego initializes the threads for it.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(function uintptr, argument unsafe.Pointer) int32

// run calls the function with arguments of integers or pointers. It allocates nothing.
func (c *invocation) run(function uintptr, arguments ...uintptr) int32 {
	c.function = function
	copy(c.arguments[:], arguments)
	cgocall(invokeAddress, unsafe.Pointer(c))
	return int32(c.result)
}
