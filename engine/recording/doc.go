// Package recording keeps sessions in a file and reads them again. A file is one SQLite
// database (docs/recordings.md describes its tables), with any number of runs in it.
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
// The session never waits for a file: it leaves what happens in memory, and the writer
// takes it from there. A file that is cut off by a kill or a full disk is whole, and lacks
// less than the last second. What is read is checked before it is believed: a file may
// come from anywhere.
package recording
