// Package cholesky factors a symmetric positive definite matrix, A = UᵀU, on a grid of
// processes, as paper 5 measures it (section 6.2, figures 12 to 14).
//
// Blocks of nb × nb elements are dealt to TX rows and TY columns of processes in turn, a
// checkerboard, so that all have a part of what is left to the end. Only the upper
// triangle is touched. Step k factors row k of the blocks, with r = k mod TX and
// c = k mod TY:
//
//	(r, c):     A_kk = U_kkᵀU_kk
//	round 1:    broadcast U_kk along row r of processes
//	row r:      U_kj = U_kk⁻ᵀA_kj                for j > k
//	round 2:    broadcast U_kj down the columns of processes, each its own j
//	hand-off:   U_ki to a member of row i mod TX of processes
//	round 3:    broadcast U_ki along the rows of processes, each its own i
//	everyone:   A_ij −= U_kiᵀU_kj                for k < i ≤ j
//
// A step's blocks go in one broadcast a team. What a row of processes needs in round 3
// belongs to columns that the row does not have, as A is symmetric and one triangle of it
// is kept: in the paper the owner hands it over directly (handoff = direct). The process
// of row i mod TX in the column of the owner has had it in round 2, and can begin round 3
// itself (handoff = column, ours). The paper's program blocks in each round; with
// lookahead = on (ours, beyond the paper) the rounds of step k + 1 go on while step k's
// product is computed.
//
// Where all blocks are one message, a broadcast begins with a word that says whether the
// factorization goes on: a pivot that is not positive is known to all after round 2, and
// everyone leaves with the same error.
//
// U of the matrix "exact" has whole numbers by a closed form, and so has every number on
// the way to it: each process compares its blocks bit for bit, and nothing is gathered.
// Random matrices are verified by the norm of A − UᵀU, for which the rounds are made once
// more, and up to 512 rows against gonum's factor.
//
// A simulation whose processes have more bytes of elements than real-limit moves only sizes,
// beside a small matrix on the same grid that is verified.
package cholesky
