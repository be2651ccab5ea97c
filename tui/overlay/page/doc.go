// Package page has the overlays that show text: the launch lines of the layout, and the ID triple
// of every rank. The screen handles the keys that a page does not have.
package page
