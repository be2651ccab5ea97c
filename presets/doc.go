// Package presets holds what hybridtop brings along as files, and their strict
// loader: machines, scenarios, and what the papers publish of their figures.
//
//	s, err := presets.FindScenario("locality-law") // a workload, its knobs, what to watch
//
// Machines are machines/*.toml:
//
//	m, err := presets.Machine("demo")              // built in, or the user's
//	m, err := presets.LoadMachine("./our.toml")    // any file
//	err := presets.WriteMachine(w, m)              // a file that loads back equal
//
// A machine file states each number with its unit in the key, and where the
// number comes from:
//
//	title = "Our cluster"
//	emulated = true
//	progress = "thread"
//
//	[remote.latency_s]
//	value = 4e-6
//	source = "measured with our own ping-pong, 2026-11"
//
// Instead of source, derived = "from what" says that the number follows from others
// that have one, fitted = "to what" that it was fitted, and assumed = "what" that
// nothing was found to rest it on; instead of value, unknown = "why" says that there
// is none. Count tells how many of a file's numbers are of each kind. What may be left out stands in
// one table, facts; nothing may be added: an error names file, line, key and the
// hint. A machine with emulated = true can be pretended by the live fabric; for a
// simulation any machine that states its costs will do.
//
// The user's own files stand in $XDG_CONFIG_HOME/hybridtop/machines (usually
// ~/.config/hybridtop/machines), scenarios beside them, and are found by name. One that takes a built-in
// machine's name is not used, because a recording that says demo must mean demo; it
// and those that are broken are in no list, and SkippedMachines and SkippedScenarios
// tell of them.
package presets
