//go:build race

package main

// raced says that this is the race detector's build, ten times slower.
const raced = true
