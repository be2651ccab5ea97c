// Package access reads and writes remote memory in each way of table 2 of paper 2, and compares the
// bandwidth with the table's formulas.
//
// Rank 0 needs words of 8 bytes of another rank, its owner. They are contiguous, or a stride apart.
// The ways are:
//
//   - two-sided: the owner sends the words in one message
//   - one-sided: gets from an MPI window between two fences
//   - page: the first access to a page fetches it into a cache, as a distributed shared memory does.
//     Changed pages are written back at the end
//   - word: each load waits for its word
//   - prefetch: up to depth gets are in progress at the same time. Each is awaited in order
//   - buffering: one get of all words into a buffer
//
// A write moves the words in the other direction, with puts instead of gets. It ends when all words
// are at the owner. A two-sided write therefore ends with an empty reply.
//
// All words are checked after each way: by rank 0 after a read, and by the owner after a write. The
// owner also checks that the words between them did not change. The words differ between ways and
// iterations, so a way that moves nothing fails.
package access
