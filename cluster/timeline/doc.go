// Package timeline records what the threads of a launch did and when: a lane a
// thread, made of stretches that follow each other, and the messages between them. A
// stream of a device has a lane as well.
//
//	spec.Timeline = timeline.NewRecorder(spec.Layout, true) // hand it to a launch
//	rec := timeline.Of(&spec)                               // the fabric finds it,
//	lanes := rec.Team(rank, threads)                        // gives each thread its lane,
//	lanes[0].Until(now, timeline.ActivityWait, call, peer)  // and writes as time passes
//	v := rec.View()                                         // any goroutine looks meanwhile
//
// A lane has one writer. What a view gives does not change any more. A Sender encodes
// views for a Receiver elsewhere, and sends each full chunk once.
package timeline
