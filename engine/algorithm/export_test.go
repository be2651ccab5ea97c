package algorithm

// ForgetSites makes all estimators new.
func ForgetSites() {
	memory.Lock()
	defer memory.Unlock()
	clear(memory.sites)
}
