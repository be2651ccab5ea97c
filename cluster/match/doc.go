// Package match holds the two queues of a rank that receives: the receives that
// were posted and wait for a message, and the messages that arrived unexpected
// and wait for a receive. A fabric's loop is
//
//	on a receive:  if id, ok := q.Take(ctx, src, tag); ok { deliver message id }
//	               else { q.Post(ctx, src, tag, slot) }
//	on a message:  if id, ok := q.Arrive(ctx, src, tag); ok { deliver to receive id }
//	               else { q.Keep(ctx, src, tag, slot) }
//
// The rules are MPI's: a message goes to the earliest posted receive that
// matches it, where a receive with a wildcard competes with an exact one by the
// order in which they were posted; a receive takes the earliest arrived message
// that matches it.
//
// Each queue is a contiguous line as long as what is looked for stands near its
// head, which is the common case and costs a few nanoseconds. A search that goes
// deep turns the line into an index: hashed lists by (context, source, tag), and
// for messages also by each combination of wildcards that is asked for. A list and
// its key stand in one cache line, with its only entry if it has one: a match among
// 100,000 receives costs one cache miss. The index becomes a line again when few
// entries are left.
//
// There are no locks inside: the owner of the rank serializes.
package match
