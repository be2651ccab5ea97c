// Package all is the registry of overlays: a line an overlay, in the order of
// footer and help.
package all
