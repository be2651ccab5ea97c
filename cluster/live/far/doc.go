// Package far connects the processes of a job, for a fabric whose ranks are in several processes.
//
// A [Transport] carries frames between processes, in order for each pair. A [Job] numbers the runs of
// the job. All processes start the same runs in the same order. [Run.Begin] starts a run: each process
// sends the others a digest of its spec, and waits for theirs. A process that cannot start the run
// sends its reason instead, and no process starts it. Every frame has the number of its run. Frames of
// earlier runs are dropped, and frames of the next run wait until this process begins it.
//
// The job receives frames wherever a thread has time: a waiting rank polls ([Job.Poll]), and one
// goroutine of the job polls if no rank does. Received frames go to the run's [Receiver].
//
// A [Frame] is one operation on a rank of another process, or a part of one. Frames are decoded
// strictly. An error of a rank ends the run in every process; its encoding keeps its text, its
// [cluster.Abort], and what errors.Is finds in it (failure.go).
//
// The package does not know what carries the frames.
package far
