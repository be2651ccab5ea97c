// Package models computes closed-form predictions. Its functions are pure: they use no clock and no
// cluster.
//
// The locality law of the hybrid MPI+UPC paper (paper 1, section 4.3.1) predicts two numbers: the
// share of uniformly random accesses that are local, and the mean time of an access.
//
//	two, err := models.FitLatencies([]models.Point{ // fit on two group sizes ...
//		{Share: models.NodeShare(1, 1), Latency: 0.4e-6, Weight: 1000},
//		{Share: models.NodeShare(4, 16), Latency: 3.1e-6, Weight: 1000},
//	})
//	l := two.At(models.NodeShare(4, 8)) // ... predict a third
//
// The paper on hybrid programming of SMP clusters (paper 2) has three groups of formulas. ε, equations (1)
// to (14), is the gain of computing while m of a process's n threads communicate. Other formulas
// compare one process per CPU with one per node, and the methods of remote memory access. Each
// prediction contains its terms, so that the caller can see the dominant one.
//
//	f, err := models.Split(0.43, 0.2) // f_comm and f_comp,non of a masteronly run
//	p, err := models.Epsilon(models.Reserved{M: 1, N: 8}, f)
//	p.Value         // 1.6: overlapped, the run takes 1/1.6 of the time
//	p.Dominant().Name // "communication": more computation would be hidden at no cost
//
// Times are in seconds, shares in 0..1. ε always means T_masteronly / T_multiple.
package models
