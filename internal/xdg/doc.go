// Package xdg says where a user's files stand, as the XDG base directories have it:
//
//	xdg.Config("machines") // ~/.config/hybridtop/machines, or below $XDG_CONFIG_HOME
//	xdg.State()            // ~/.local/state/hybridtop, or below $XDG_STATE_HOME
//
// A relative value of these variables does not count. "" is no place: the system
// names none.
package xdg
