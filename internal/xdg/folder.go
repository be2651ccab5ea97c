package xdg

import (
	"os"
	"path/filepath"
	"runtime"
)

// Config returns a path below the program's folder for files that the user writes.
func Config(parts ...string) string {
	return resolve("XDG_CONFIG_HOME", ".config", parts)
}

// State returns a path below the program's folder for files that the program writes. Systems
// without a separate folder for state use the configuration folder.
func State(parts ...string) string {
	return resolve("XDG_STATE_HOME", filepath.Join(".local", "state"), parts)
}

func resolve(variable, usual string, parts []string) string {
	base := os.Getenv(variable)
	if !filepath.IsAbs(base) {
		var err error
		switch runtime.GOOS {
		case "windows", "darwin", "ios", "plan9":
			base, err = os.UserConfigDir()
		default: // os.UserConfigDir returns an error for a relative variable
			base, err = os.UserHomeDir()
			base = filepath.Join(base, usual)
		}
		if err != nil || !filepath.IsAbs(base) {
			return ""
		}
	}
	return filepath.Join(append([]string{base, "hybridtop"}, parts...)...)
}
