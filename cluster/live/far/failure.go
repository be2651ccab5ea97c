package far

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/hybridtop/hybridtop/cluster"
)

// failure is an encoded error: its text, the errors that errors.Is finds in it, and its abort.
type failure struct {
	Text  string        `json:"text"`
	Chain []link        `json:"chain,omitempty"`
	Abort *encodedAbort `json:"abort,omitempty"`
}

// link is one error of a chain. Errors of two processes are equal if their type and text are equal.
type link struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type encodedAbort struct {
	Reason cluster.Reason `json:"reason"`
	Rank   int            `json:"rank"`
	Cause  *failure       `json:"cause,omitempty"`
	Stack  string         `json:"stack,omitempty"`
	Waits  []cluster.Wait `json:"waits,omitempty"`
}

// Limits of an encoded error.
const (
	maxFailureText = 64 << 10
	maxChain       = 64
	maxCauses      = 8 // nested aborts
	maxWaits       = 1024
	maxNeeded      = 1024 // ranks of a wait
)

// encodeFailure encodes an error. It returns nil for nil.
func encodeFailure(err error) *failure { return encodeNested(err, maxCauses) }

// encodeNested is encodeFailure with a maximum number of nested aborts.
func encodeNested(err error, depth int) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: cut(err.Error())}
	var a *cluster.Abort
	if errors.As(err, &a) && depth > 0 {
		f.Abort = &encodedAbort{Reason: a.Reason, Rank: a.Rank, Cause: encodeNested(a.Cause, depth-1), Stack: cut(a.Stack)}
		for _, w := range a.Waits[:min(len(a.Waits), maxWaits)] {
			w.For = w.For[:min(len(w.For), maxNeeded)]
			f.Abort.Waits = append(f.Abort.Waits, w)
		}
	}
	f.collect(err)
	return f
}

var errFailure = errors.New("damaged error")

// check returns an error if no process can have encoded the failure. depth is the number of nested aborts that it
// may still have.
func (f *failure) check(depth int) error {
	if f == nil {
		return nil
	}
	if len(f.Text) > maxFailureText || len(f.Chain) > maxChain {
		return fmt.Errorf("%w: text of %d B with %d errors, want at most %d B and %d errors", errFailure, len(f.Text),
			len(f.Chain), maxFailureText, maxChain)
	}
	a := f.Abort
	if a == nil {
		return nil
	}
	switch a.Reason {
	case cluster.ReasonCancelled, cluster.ReasonPanic, cluster.ReasonDeadlock, cluster.ReasonExit:
	default:
		return fmt.Errorf("%w: reason %.20q", errFailure, a.Reason)
	}
	switch {
	case depth == 0:
		return fmt.Errorf("%w: want at most %d nested aborts", errFailure, maxCauses)
	case a.Rank < -1:
		return fmt.Errorf("%w: abort of rank %d, want -1 or a rank", errFailure, a.Rank)
	case len(a.Stack) > maxFailureText || len(a.Waits) > maxWaits:
		return fmt.Errorf("%w: abort with a stack of %d B and %d waits, want at most %d B and %d waits", errFailure,
			len(a.Stack), len(a.Waits), maxFailureText, maxWaits)
	}
	return a.Cause.check(depth - 1)
}

// collect adds err, and the errors that it wraps, to the chain.
func (f *failure) collect(err error) {
	if err == nil || len(f.Chain) >= maxChain {
		return
	}
	if r, ok := err.(*remoteError); ok {
		f.Chain = append(f.Chain, r.chain[:min(len(r.chain), maxChain-len(f.Chain))]...)
		return
	}
	f.Chain = append(f.Chain, linkOf(err))
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		f.collect(x.Unwrap())
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			f.collect(e)
		}
	}
}

func linkOf(err error) link { return link{fmt.Sprintf("%T", err), cut(err.Error())} }

// cut shortens a text to at most maxFailureText bytes, and splits no character.
func cut(text string) string {
	if len(text) <= maxFailureText {
		return text
	}
	n := maxFailureText
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

func (f *failure) decode() error {
	if f == nil {
		return nil
	}
	var abort *cluster.Abort
	if a := f.Abort; a != nil {
		abort = &cluster.Abort{Reason: a.Reason, Rank: a.Rank, Cause: a.Cause.decode(), Stack: a.Stack, Waits: a.Waits}
		if len(f.Chain) > 0 && f.Chain[0].Type == fmt.Sprintf("%T", abort) {
			return abort
		}
	}
	return &remoteError{text: f.Text, chain: f.Chain, abort: abort}
}

// remoteError is an error of another process.
type remoteError struct {
	text  string
	chain []link
	abort *cluster.Abort
}

// Error implements error.
func (e *remoteError) Error() string { return e.text }

// Is reports whether the error wraps an error with the type and the text of target.
func (e *remoteError) Is(target error) bool {
	if target == nil {
		return false
	}
	want := linkOf(target)
	for _, l := range e.chain {
		if l == want {
			return true
		}
	}
	return false
}

// Unwrap returns the abort that the error wraps, or nil.
func (e *remoteError) Unwrap() error {
	if e.abort == nil {
		return nil
	}
	return e.abort
}

// decodeFailure decodes the error of another process.
func decodeFailure(data []byte) error {
	var f failure
	if err := Unmarshal(data, &f); err != nil {
		return err
	}
	if err := f.check(maxCauses); err != nil {
		return err
	}
	return f.decode()
}

// MaxMessage is the maximum length in bytes of a JSON message.
const MaxMessage = 64 << 20

// Unmarshal decodes a JSON message of another process. It accepts exactly one value, without unknown fields.
func Unmarshal(data []byte, v any) error {
	if len(data) > MaxMessage {
		return fmt.Errorf("message of %d B, want at most %d B", len(data), MaxMessage)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value in a message, want one")
	}
	return nil
}

// encodeJSON encodes a control message.
func encodeJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data
	}
	return b
}
