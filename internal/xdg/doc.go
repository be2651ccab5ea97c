// Package xdg returns the folders of a user's files, as in the XDG base directory specification:
//
//	xdg.Config("machines") // ~/.config/hybridtop/machines, or below $XDG_CONFIG_HOME
//	xdg.State()            // ~/.local/state/hybridtop, or below $XDG_STATE_HOME
//
// It ignores a relative value of these variables. It returns "" if the system has no such folder.
package xdg
