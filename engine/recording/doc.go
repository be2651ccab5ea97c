// Package recording stores sessions in a file and replays them. A file is one SQLite database with
// any number of runs. docs/recordings.md describes its tables.
//
//	w, err := recording.Create("run.htr")          // or appends to it
//	r, err := w.Begin(recording.Facts{})           // a run; it is an engine.Observer
//	s, err := session.New(sc, session.Options{Observer: r})
//	...                                            // every 250 ms: one short transaction
//	err = s.Wait()
//	err = w.Close()
//
//	f, err := recording.Open("run.htr")
//	p, err := f.Player(f.Runs[0].ID)
//	snap, err := p.At(3 * time.Second)             // as the session has published it
//
// The session never waits for a file: it leaves events in memory, and the writer fetches them.
// After a kill or on a full disk the file remains valid, and lacks less than the last second. All
// data read is validated, because a file may come from anywhere.
package recording
