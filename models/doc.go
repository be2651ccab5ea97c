// Package models holds closed-form predictions: pure functions of numbers, with
// no clock and no cluster behind them. Here stands the locality law of the hybrid
// MPI+UPC paper (paper 1, section 4.3.1): what share of uniformly random accesses
// stays near, and what an access then costs on average.
//
//	two, err := models.FitLatencies([]models.Point{ // fit on two group sizes ...
//		{Share: models.NodeShare(1, 1), Latency: 0.4e-6, Weight: 1000},
//		{Share: models.NodeShare(4, 16), Latency: 3.1e-6, Weight: 1000},
//	})
//	l := two.At(models.NodeShare(4, 8)) // ... predict a third
//
// Times are in seconds, shares in 0..1.
package models
