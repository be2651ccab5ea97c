// Package answer is the overlay for answers to the questions of a lesson: a prediction, then the confidence. The
// screen draws its input line below the question.
package answer
