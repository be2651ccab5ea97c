// Package match implements the two queues of a receiving rank: posted receives that wait for a
// message, and unexpected messages that wait for a receive. A fabric's loop is
//
//	on a receive:  if id, ok := q.Take(ctx, src, tag); ok { deliver message id }
//	               else { q.Post(ctx, src, tag, slot) }
//	on a message:  if id, ok := q.Arrive(ctx, src, tag); ok { deliver to receive id }
//	               else { q.Keep(ctx, src, tag, slot) }
//
// The rules are MPI's. A message goes to the earliest posted receive that matches it; receives with
// and without wildcards compete by the order of posting. A receive takes the earliest arrived
// message that matches it.
//
// Each queue is a contiguous line while matches are near its head. This is the common case and
// costs a few nanoseconds. A deep search converts the line to an index: hashed lists by (context,
// source, tag), and for messages also by each used combination of wildcards. A list and its key are
// in one cache line, together with the entry of a list of one. A match among 100,000 receives costs
// one cache miss. The index becomes a line again when few entries remain.
//
// The package has no locks: the owner of the rank serializes the calls.
package match
