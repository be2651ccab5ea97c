// Package engine holds the words of an experiment: the [Scenario] that says what
// to run, the table of [Knob]s that can be turned, the [Command]s that a user
// gives, the [Snapshot] that a run publishes, and the [Metric]s in it, each marked
// with its [Kind].
//
// The machinery stands in the subfolders: workload has the programs, session runs
// a scenario on a fabric (its main loop is session.Session.loop: launch, gather,
// publish, take commands), and the screen and the command line only turn knobs and
// read snapshots.
package engine
