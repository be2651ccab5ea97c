// Package host determines how much memory this process may use. Its result is one number, [Limit].
// It is used by
//
//	the session   before it launches a scenario, and again with a number of ranks
//	a sweep       for points that run at the same time
//	a fabric      before it allocates segments, with Check
//
// Two types connect the processes of a job on one host: [Shared] is memory that they share, and [Process] identifies
// one of them to the others.
package host
