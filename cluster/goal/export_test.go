package goal

// Keep says how many bytes a rank keeps in memory.
func (t *Trace) Keep(bytes int) { t.most = bytes }
