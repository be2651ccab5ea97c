//go:build race

package main

// raced is true in builds with the race detector, which are ten times slower.
const raced = true
