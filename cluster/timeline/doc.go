// Package timeline records the activities of the threads of a launch over time, and the messages
// between them. Each thread has a lane of consecutive intervals. Each stream of a device also has a
// lane.
//
//	spec.Timeline = timeline.NewRecorder(spec.Layout, true) // pass it to a launch
//	rec := timeline.Of(&spec)                               // the fabric finds it,
//	lanes := rec.Team(rank, threads)                        // gets the lanes of the threads,
//	lanes[0].Until(now, timeline.ActivityWait, call, peer)  // and writes as time passes
//	v := rec.View()                                         // any goroutine can read meanwhile
//
// A lane has one writer. A view never changes. A Sender encodes views for a remote Receiver, and
// sends each full chunk once.
package timeline
