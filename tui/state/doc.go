// Package state is what the screen remembers from one time to the next: theme,
// units, mouse and markers in config.toml, which the user may write as well; the last
// scenario and the layout of the panes of each workload in state.toml.
//
//	s, kept := state.Open(xdg.Config(), xdg.State())
//	… the screen begins as kept says; s.Warnings tells what was left out …
//	s.Began(now)             // what is not worth keeping: flags, defaults
//	err := s.Keep(ctx, now)  // now and then, and at the end: what has changed since
//
// Keep reads the file anew, changes in it what this screen has changed, and replaces
// it as a whole: of two screens the one that writes a key last wins, and no key of
// the other is lost. A lock on the folder keeps them apart, and is not waited for
// long.
//
// A file that is broken or of a newer version is not used. A newer one is left
// alone; of a broken one a copy is made before it is replaced. What is wrong is said
// once, and the run goes on.
package state
