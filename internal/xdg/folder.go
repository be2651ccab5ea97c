package xdg

import (
	"os"
	"path/filepath"
	"runtime"
)

// Config is a place in the program's folder of what the user writes.
func Config(parts ...string) string {
	return place("XDG_CONFIG_HOME", ".config", parts)
}

// State is a place in the program's folder of what it remembers by itself. Systems
// without a folder for state alone have it among the configuration.
func State(parts ...string) string {
	return place("XDG_STATE_HOME", filepath.Join(".local", "state"), parts)
}

func place(variable, usual string, parts []string) string {
	base := os.Getenv(variable)
	if !filepath.IsAbs(base) {
		var err error
		switch runtime.GOOS {
		case "windows", "darwin", "ios", "plan9":
			base, err = os.UserConfigDir()
		default: // os.UserConfigDir refuses a relative variable
			base, err = os.UserHomeDir()
			base = filepath.Join(base, usual)
		}
		if err != nil || !filepath.IsAbs(base) {
			return ""
		}
	}
	return filepath.Join(append([]string{base, "hybridtop"}, parts...)...)
}
