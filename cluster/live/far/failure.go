package far

import (
	"encoding/json"
	"errors"
	"fmt"
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
)

func encodeFailure(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: cut(err.Error())}
	var a *cluster.Abort
	if errors.As(err, &a) {
		f.Abort = &encodedAbort{Reason: a.Reason, Rank: a.Rank, Cause: encodeFailure(a.Cause), Stack: cut(a.Stack),
			Waits: a.Waits}
	}
	f.collect(err)
	return f
}

// collect adds err, and the errors that it wraps, to the chain.
func (f *failure) collect(err error) {
	if err == nil || len(f.Chain) >= maxChain {
		return
	}
	if r, ok := err.(*remoteError); ok {
		f.Chain = append(f.Chain, r.chain...)
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

// encodeJSON encodes a control message.
func encodeJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data
	}
	return b
}
