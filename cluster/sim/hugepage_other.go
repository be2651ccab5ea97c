//go:build !linux

package sim

func useHugePages([]record) {}
