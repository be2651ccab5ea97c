// Package help is the overlay that lists keys and actions under a line that
// narrows them, and runs the selected one:
//
//	/ cross
//	c              show or hide the crosshair that reads values        crosshair
package help
