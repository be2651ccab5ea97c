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

// runShort calls a C function like cgocall, in less than half of the time: the scheduler does not treat the call as a
// system call. A garbage collection waits until the function returns, and no other goroutine uses the thread's share of
// GOMAXPROCS. The assembly code calls runtime.asmcgocall, which Go 1.26 permits.
//
//go:noescape
func runShort(function uintptr, argument unsafe.Pointer)

// run calls the function with arguments of integers or pointers. It allocates nothing. isShort means that the function
// returns in microseconds.
func (c *invocation) run(isShort bool, function uintptr, arguments ...uintptr) int32 {
	c.function = function
	//lint:ignore S1001 copy would be a call of memmove
	for i, a := range arguments {
		c.arguments[i] = a
	}
	if isShort {
		runShort(invokeAddress, unsafe.Pointer(c))
	} else {
		cgocall(invokeAddress, unsafe.Pointer(c))
	}
	return int32(c.result)
}
