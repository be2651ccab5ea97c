// Package models holds closed-form predictions: pure functions of numbers, with
// no clock and no cluster behind them.
//
// The locality law of the hybrid MPI+UPC paper (paper 1, section 4.3.1) says what
// share of uniformly random accesses stays near, and what an access then costs on
// average.
//
//	two, err := models.FitLatencies([]models.Point{ // fit on two group sizes ...
//		{Share: models.NodeShare(1, 1), Latency: 0.4e-6, Weight: 1000},
//		{Share: models.NodeShare(4, 16), Latency: 3.1e-6, Weight: 1000},
//	})
//	l := two.At(models.NodeShare(4, 8)) // ... predict a third
//
// The paper on hybrid programming of SMP clusters (paper 2) says what is won by
// computing while m of a process's n threads communicate, ε, equations (1) to (14);
// what a process a CPU wins over one a node; and what ways there are to remote
// memory. Each prediction has its terms, so that it can say which of them rules.
//
//	f, err := models.Split(0.43, 0.2) // f_comm and f_comp,non of a masteronly run
//	p, err := models.Epsilon(models.Reserved{M: 1, N: 8}, f)
//	p.Value         // 1.6: overlapped, the run takes 1/1.6 of the time
//	p.Ruling().Name // "communication": more computation would be hidden for nothing
//
// Times are in seconds, shares in 0..1. ε is T_masteronly / T_multiple alone.
package models
