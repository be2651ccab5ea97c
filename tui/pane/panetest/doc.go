// Package panetest has snapshots as a session would publish them, for tests of
// panes and of the screen: the same at each call, whatever the host.
//
//	p.Draw(grid.New(80, 24).All(), &pane.Host{Snap: panetest.Demo(4, 4, 4)})
package panetest
