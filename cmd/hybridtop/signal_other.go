//go:build !unix

package main

import (
	"os"
	"syscall"
)

// endings are the signals that ask the program to end.
var endings = []os.Signal{os.Interrupt, syscall.SIGTERM}

func signalName(s syscall.Signal) string { return s.String() }
