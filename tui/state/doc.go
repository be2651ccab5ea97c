// Package state stores the settings of the screen between sessions.
//
// config.toml holds theme, units, mouse and markers; users may edit it. state.toml holds the last
// scenario and the layout of the panes of each workload, and the recent commands.
//
//	s, kept := state.Open(xdg.Config(), xdg.State())
//	… apply kept to the screen and show s.Warnings …
//	s.Began(now)             // do not save this: flags, defaults
//	err := s.Keep(ctx, now)  // regularly and at the end: save the changes since
//
// Keep reads the file again, applies the changes of this screen, and replaces the file atomically.
// If two screens write the same key, the last one wins; other keys are not lost. A lock on the
// folder separates them. Keep does not wait long for the lock.
//
// A file that is broken or has a newer version is not used. A newer file is not changed. A broken
// file is copied before it is replaced. Each problem is reported once, and the run continues.
package state
