// Package page has the overlays that are a text to scroll: the launch lines of
// the layout, and the ID triple of every rank. The keys that a page does not
// have are the screen's.
package page
