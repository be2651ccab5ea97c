// Package engine defines the data types of an experiment. They are shared by sessions,
// recordings, the screen and the command line.
//
// A [Scenario] selects a workload and a value for each [Knob]. A user controls a run with
// [Command]s. A run publishes [Snapshot]s, whose [Metric]s are each marked with their [Kind].
//
// The subfolders use these types. Package workload has the programs. Package session runs a
// scenario on a fabric; its main loop is session.Session.loop: launch, gather, publish, execute
// commands. The screen and the command line only change knobs and read snapshots.
package engine
