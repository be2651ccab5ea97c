// Package winners is the pane of a decision map: the fastest algorithm of a collective by data
// size (across) and number of ranks (upwards). A cell has the letter and the colour of its winner.
// Lines separate cells with different predicted winners. The cell of the current run has a frame.
package winners
