package grid

import (
	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// Line is an input line with a cursor. The zero value is an empty line.
type Line struct {
	input textinput.Model
	ready bool
}

// LongestLine is the maximum number of characters in a line.
const LongestLine = 400

// model returns the input of Bubbles, without a prompt, a clipboard and suggestions.
func (l *Line) model() *textinput.Model {
	if !l.ready {
		l.ready = true
		l.input = textinput.New()
		l.input.CharLimit = LongestLine
		l.input.SetVirtualCursor(false)
		for _, k := range []*key.Binding{&l.input.KeyMap.Paste, &l.input.KeyMap.AcceptSuggestion, &l.input.KeyMap.NextSuggestion,
			&l.input.KeyMap.PrevSuggestion} {
			k.SetEnabled(false)
		}
		l.input.Focus()
	}
	return &l.input
}

// Edit is a key of an input line.
type Edit struct {
	Name, Doc string
	Keys      []string
}

// Edits returns the keys of every input line.
func Edits() []Edit {
	k := textinput.DefaultKeyMap()
	return []Edit{
		{"erase", "erase the character before the cursor", k.DeleteCharacterBackward.Keys()},
		{"erase-next", "erase the character after the cursor", k.DeleteCharacterForward.Keys()},
		{"erase-word", "erase the word before the cursor", k.DeleteWordBackward.Keys()},
		{"erase-next-word", "erase the word after the cursor", k.DeleteWordForward.Keys()},
		{"erase-before", "erase all text before the cursor", k.DeleteBeforeCursor.Keys()},
		{"erase-after", "erase all text after the cursor", k.DeleteAfterCursor.Keys()},
		{"cursor-left", "move the cursor left", k.CharacterBackward.Keys()},
		{"cursor-right", "move the cursor right", k.CharacterForward.Keys()},
		{"cursor-word-left", "move the cursor to the previous word", k.WordBackward.Keys()},
		{"cursor-word-right", "move the cursor to the next word", k.WordForward.Keys()},
		{"cursor-home", "move the cursor to the beginning", k.LineStart.Keys()},
		{"cursor-end", "move the cursor to the end", k.LineEnd.Keys()},
	}
}

// Press handles a key of Edits.
func (l *Line) Press(name string) {
	m := l.model()
	*m, _ = m.Update(tea.KeyPressMsg{Text: name}) // the name of a key with a text is the text
}

// Insert inserts a text at the cursor. It drops control characters, because a paste may contain
// anything.
func (l *Line) Insert(s string) {
	m := l.model()
	*m, _ = m.Update(tea.PasteMsg{Content: s})
}

// String returns the text.
func (l *Line) String() string { return l.model().Value() }

// Cursor returns the number of runes before the cursor.
func (l *Line) Cursor() int { return l.model().Position() }

// Put replaces the text and moves the cursor to its end.
func (l *Line) Put(s string) {
	l.model().SetValue(s)
	l.model().CursorEnd()
}

// Clear empties the line.
func (l *Line) Clear() { l.model().Reset() }

// Draw draws the line with its cursor, scrolled so that the cursor is visible.
func (l *Line) Draw(v View, th *Theme) {
	if v.W() <= 0 {
		return
	}
	v.Fill(v.Local(), Cell{Rune: ' ', Bg: th.Background, Attr: Underline, Fg: th.Accent.Fg})
	text, at := []rune(l.String()), l.Cursor()
	x := 0
	for i := max(0, at-v.W()+1); i < len(text) && x < v.W(); i++ {
		st := th.Text.With(Underline)
		if i == at {
			st = st.With(Reverse)
		}
		x += max(1, v.Text(x, 0, string(text[i]), st))
	}
	if at >= len(text) {
		v.Rune(x, 0, ' ', th.Text.With(Reverse))
	}
}
