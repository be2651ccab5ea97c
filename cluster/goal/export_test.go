package goal

// Keep sets the number of bytes that each rank keeps in memory.
func (t *Recorder) Keep(bytes int) { t.limit = bytes }
