// Package collectives draws how the messages of a collective go: a tree, or the ranks
// in a circle where all talk to all; and beside it all messages over time.
//
//	at := p.clock(host, flow)   // the moment that is shown
//	p.scene(view, flow, at)     // ranks, who has told whom, messages on their way
//	p.course(view, flow, at)    // ranks down, time across
//	p.terms(view, flow)         // what the time is made of
//
// While the run goes on the moment goes round and round; it can be held and moved.
package collectives
