//go:build !unix

package main

import (
	"os"
	"syscall"
)

// endings lists the termination signals.
var endings = []os.Signal{os.Interrupt, syscall.SIGTERM}

func signalName(s syscall.Signal) string { return s.String() }
