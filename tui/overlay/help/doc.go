// Package help is the overlay that lists keys, actions and the terms of the glossary below a search
// line. Enter runs the selected action; the definition of the selected term is below the list:
//
//	/ cross
//	c              show or hide the crosshair that reads values        crosshair
package help
