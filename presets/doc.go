// Package presets loads hybridtop's built-in machines, scenarios and figures, and the user's own
// files. Figures hold what the papers publish and what a run checks of it. The loader is strict:
// unknown keys are errors.
//
//	s, err := presets.FindScenario("locality-law") // a workload, its knobs, what to watch
//
// Questions are questions/*.toml: a question that users have asked, the scenario that answers it, and its
// expected results.
//
// Machines are machines/*.toml:
//
//	m, err := presets.Machine("demo")              // built in, or the user's
//	m, err := presets.LoadMachine("./our.toml")    // any file
//	err := presets.WriteMachine(w, m)              // a file that loads back equal
//
// A machine file states each number with its unit in the key, and the source of the number:
//
//	title = "Our cluster"
//	emulated = true
//	progress = "thread"
//
//	[remote.latency_s]
//	value = 4e-6
//	source = "measured with our own ping-pong, 2026-11"
//
// Other keys can replace source:
//
//   - derived = "from what": the number follows from numbers that have a source.
//   - fitted = "to what": the number was fitted.
//   - assumed = "what": no source was found.
//
// A number without a value has unknown = "why" instead. Count returns the number of facts of each
// kind. The table facts lists the keys and which of them are optional. An error names the file, the
// line and the key, and has a hint. The live fabric can emulate a machine with emulated = true. A
// simulation can use any machine that states its costs.
//
// The user's own files are in $XDG_CONFIG_HOME/hybridtop/machines (usually
// ~/.config/hybridtop/machines) and in the folders scenarios and questions next to it. They are found by name. A
// user's file with the name of a built-in machine is not used, because demo in a recording must
// always mean the built-in demo. Lists omit such files and broken ones; SkippedMachines and
// SkippedScenarios report them.
package presets
