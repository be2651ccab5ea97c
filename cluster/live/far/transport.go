package far

import (
	"fmt"
	"time"
)

// MaxData is the maximum size of the data of a frame, in bytes.
const MaxData = 1<<30 - 1<<20

// A Lost is the error of a process that has ended or hangs.
type Lost struct {
	Process int
	Cause   error
}

// Error implements error.
func (l *Lost) Error() string { return fmt.Sprintf("process %d is lost: %v", l.Process, l.Cause) }

// Unwrap returns the cause.
func (l *Lost) Unwrap() error { return l.Cause }

// Transport carries frames between the processes of a job. Frames from one process to another arrive
// completely and in order.
type Transport interface {
	// Name returns the name of the carrier with its version, for results.
	Name() string
	// Process returns the number of this process, from 0 to Processes() − 1.
	Process() int
	// Processes returns the number of processes.
	Processes() int
	// OnHost returns the number of processes on this host, or an upper bound.
	OnHost() int
	// Send sends a frame that consists of head and body. It copies both, and never waits for a
	// receiver. Any goroutine may call it.
	Send(to int, head, body []byte) error
	// SendBody sends b to a process, which receives it with ReceiveBody and the same key. ReceiveBody may be earlier than
	// SendBody. SendBody does not copy b. sent completes in a Poll, after the other process has called ReceiveBody. The caller
	// does not use the key for this process before then. Any goroutine may call SendBody.
	SendBody(to int, key uint32, b []byte, sent Completion) error
	// ReceiveBody receives a body into b, which has its size. received completes in a Poll. Any goroutine may call
	// ReceiveBody.
	ReceiveBody(from int, key uint32, b []byte, received Completion) error
	// Poll completes bodies, and calls receive with each frame that has arrived. It returns the number of frames and
	// completed bodies. A frame is valid during the call. receive and completions may call the methods above. Only one
	// goroutine calls Poll at a time. After a *Lost, frames of other processes still arrive.
	Poll(receive func(from int, frame []byte)) (int, error)
	// Idle waits until a frame may have arrived, and at most for the given time. Only the job's
	// goroutine calls it.
	Idle(most time.Duration)
	// Close waits until sent frames have left, and ends the transport.
	Close() error
}
