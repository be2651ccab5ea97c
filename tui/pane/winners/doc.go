// Package winners draws who wins where: the best algorithm of a collective over the
// size of the data, across, and the ranks, upwards. A cell has its winner's letter and
// colour, lines part cells with different winners by the model, and the present place
// is framed.
package winners
