package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/build"
)

// Environment of a job with a front. Launchers pass it to the processes of the same host.
const (
	socketVariable = "HYBRIDTOP_FRONT"       // the front's socket: a path, or tcp: and an address
	tokenVariable  = "HYBRIDTOP_FRONT_TOKEN" // what process 0 sends first
)

// overTCP precedes the address of a TCP socket.
const overTCP = "tcp:"

// kind is the kind of a message of process 0.
type kind byte

// The kinds, with the data that follows.
const (
	hello    kind = iota // greeting
	snapshot             // engine.Snapshot
	last                 // likewise, the last one
	times                // access times, from session.EncodeTimes
	refusal              // text: the run cannot start
	kinds
)

// Limits of the length of a message.
const (
	maxMessage = 64 << 20
	maxHello   = 4 << 10 // before the token was checked
	headLength = 5
)

// start is the order to begin the run. Other orders are the positions of their verbs in the list.
const start = 0

var verbs = []engine.Verb{start + 1: engine.Pause, engine.Resume, engine.Step, engine.Stop}

// writeMessage writes a message: its kind, the length of its data, and the data.
func writeMessage(w io.Writer, k kind, data []byte) error {
	if len(data) > maxMessage {
		return fmt.Errorf("message of %d B: want at most %d B", len(data), maxMessage)
	}
	b := make([]byte, headLength, headLength+len(data))
	b[0] = byte(k)
	binary.BigEndian.PutUint32(b[1:], uint32(len(data)))
	_, err := w.Write(append(b, data...))
	return err
}

var errMessage = errors.New("not a message of hybridtop-mpi")

// readMessage reads a message of at most most bytes. It allocates memory only for bytes that have arrived.
func readMessage(r io.Reader, most int) (kind, []byte, error) {
	var head [headLength]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := int64(binary.BigEndian.Uint32(head[1:]))
	if kind(head[0]) >= kinds || n > int64(most) {
		return 0, nil, fmt.Errorf("%w: kind %d, %d B", errMessage, head[0], n)
	}
	data, err := io.ReadAll(io.LimitReader(r, n))
	if err == nil && int64(len(data)) < n {
		err = io.ErrUnexpectedEOF
	}
	return kind(head[0]), data, err
}

// greeting identifies a process 0.
type greeting struct{ token, program string }

func (g *greeting) fields(c *codec.Walk) {
	codec.Text(c, &g.token)
	codec.Text(c, &g.program)
}

// thisProgram returns the version and the commit of the running program.
func thisProgram() string {
	p := build.This()
	return p.Version + " " + p.Build()
}
