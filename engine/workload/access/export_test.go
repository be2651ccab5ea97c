package access

// SkipLastWord lets every method except two-sided forget the last word, until the returned function
// is called.
func SkipLastWord() (restore func()) {
	moves := make([]func(*transfer) error, len(methods))
	for k, m := range methods {
		move := m.move
		moves[k] = move
		if m.name == "two-sided" {
			continue
		}
		m.move = func(x *transfer) error {
			all := x.words
			x.words = all[:len(all)-1]
			defer func() { x.words = all }()
			return move(x)
		}
	}
	return func() {
		for k, m := range methods {
			m.move = moves[k]
		}
	}
}
