// Package far connects the processes of a job. A fabric uses it if its ranks are in several processes.
//
// A [Transport] carries frames between processes. Frames from one process to another stay in order. A
// [Frame] is one operation on a rank of another process, or a part of one. Frames are decoded strictly.
// The package does not know what carries them.
//
// Messages travel in packs ([Pack]). The bytes of a long message are a body, which the message announces with a key and a
// size ([Pack.SendBody]). The receiver gives the transport a buffer for it ([Run.ReceiveBody]), so no process copies the
// bytes. A body that no run receives is dropped, and its sender can continue.
//
// A [Job] numbers its runs. All processes start the same runs in the same order. [Run.Begin] starts a
// run: each process sends a digest of its spec to the others, and waits for theirs. If a process cannot
// start the run, it sends the reason, and no process starts it.
//
// Every frame has the number of its run. Frames of earlier runs are dropped. If another process begins or
// aborts a later run early, its frame waits until this process begins that run.
//
// A waiting rank polls for frames ([Run.Poll]). A goroutine of the job also polls, so that frames arrive
// if no rank waits. Received frames go to the run's [Receiver].
//
// Each process sends a frame at every beat. A process without a frame for 12 beats is lost, and so is a process
// whose connection ends. A busy host may not run a process for seconds. Therefore the first frame of a process has its
// identity ([host.Process]). While it is alive on this host, it may be silent for 120 beats (beat.go).
//
// If a process is lost, the run ends in every other process, and the error names the lost ranks. After its last run, a
// process sends a last frame ([Job.Close]). Afterwards it cannot be lost.
//
// An error of a rank ends the run in every process. The encoded error keeps its text, its [cluster.Abort]
// and the errors that errors.Is finds in it (failure.go).
package far
