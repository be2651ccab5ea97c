// Package all is the registry of overlays: one line per overlay, in the order of footer and help.
package all
