// Package collectives is the pane that animates the messages of one collective operation. It
// draws a tree, or the ranks on a circle if all ranks communicate with each other. Next to it, it
// draws all messages over time.
//
//	at := p.clock(host, flow)   // the moment that is shown
//	p.scene(view, flow, at)     // ranks, their messages, and the messages in flight
//	p.course(view, flow, at)    // ranks down, time across
//	p.terms(view, flow)         // the terms of the predicted time
//
// While the run continues, the animation repeats. Keys hold it and move it from message to message.
package collectives
