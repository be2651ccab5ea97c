// Package lessons is the overlay that lists lessons with their aims.
package lessons
