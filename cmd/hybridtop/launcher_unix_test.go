//go:build unix

package main

import (
	"fmt"
	"os"

	"github.com/hybridtop/hybridtop/engine/job/jobtest"
)

func init() {
	launchersOfTests["launch"] = func() { os.Exit(jobtest.Launch(os.Args[1:])) }
	launchersOfTests["launch-broken"] = func() {
		fmt.Fprintln(os.Stderr, "no such host\x1b[2J")
		os.Exit(3)
	}
}
