package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// Cast writes screens as an asciicast, version 3, for terminal players. The file has a header and
// one line per event with the seconds since the previous event. Only changed rows are written.
type Cast struct {
	w    io.Writer
	rows [][]byte // rows on the player's screen
	now  []byte
	last time.Duration
	err  error
}

// NewCast starts a cast of w columns and h rows.
func NewCast(to io.Writer, title string, w, h int) *Cast {
	c := &Cast{w: to, rows: make([][]byte, h)}
	var head struct {
		Version int `json:"version"`
		Term    struct {
			Cols int    `json:"cols"`
			Rows int    `json:"rows"`
			Type string `json:"type"`
		} `json:"term"`
		Title string `json:"title"`
	}
	head.Version = 3
	head.Term.Cols = w
	head.Term.Rows = h
	head.Term.Type = "xterm-256color"
	head.Title = title
	c.line(head)
	return c
}

// Screen shows a grid at a time that is not before the last event.
func (c *Cast) Screen(at time.Duration, g *grid.Grid) {
	c.now = g.AppendANSI(c.now[:0])
	var out []byte
	first := c.rows[0] == nil
	if first {
		out = append(out, "\x1b[?25l\x1b[2J"...) // no cursor
	}
	rest := c.now
	for y := range c.rows {
		var row []byte
		row, rest, _ = bytes.Cut(rest, []byte("\n"))
		if !first && bytes.Equal(row, c.rows[y]) {
			continue
		}
		c.rows[y] = append(c.rows[y][:0:0], row...)
		if c.rows[y] == nil {
			c.rows[y] = []byte{}
		}
		out = append(out, "\x1b["...)
		out = strconv.AppendInt(out, int64(y+1), 10)
		out = append(out, ";1H\x1b[K"...) // before the row: after a full row it would erase the last cell
		out = append(out, row...)
	}
	if len(out) > 0 {
		c.event(at, "o", string(out))
	}
}

// Chapter adds a named marker at a time.
func (c *Cast) Chapter(at time.Duration, label string) { c.event(at, "m", label) }

// End ends the cast at a time and returns the errors of all events.
func (c *Cast) End(at time.Duration) error {
	c.event(at, "x", "0")
	return c.err
}

func (c *Cast) event(at time.Duration, code, data string) {
	if at < c.last {
		c.err = errors.Join(c.err, fmt.Errorf("event out of order: %v before %v", at, c.last))
		return
	}
	at = at.Truncate(time.Millisecond) // so that intervals add up
	since := json.Number(strconv.FormatFloat((at - c.last).Seconds(), 'f', 3, 64))
	c.last = at
	c.line([]any{since, code, data})
}

func (c *Cast) line(v any) {
	if c.err != nil {
		return
	}
	e := json.NewEncoder(c.w)
	e.SetEscapeHTML(false)
	c.err = e.Encode(v)
}
