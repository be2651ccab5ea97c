// Package cholesky factors a symmetric positive definite matrix, A = UᵀU, on a grid of processes,
// as paper 5 measures it (section 6.2, figures 12 to 14).
//
// Blocks of nb × nb elements are distributed cyclically over TX rows and TY columns of processes, a
// checkerboard. Until the end, all processes then own a part of the remaining matrix. Only the
// upper triangle is used. Step k factors row k of the blocks, with r = k mod TX and c = k mod TY:
//
//	(r, c):     A_kk = U_kkᵀU_kk
//	round 1:    broadcast U_kk along row r of processes
//	row r:      U_kj = U_kk⁻ᵀA_kj                for j > k
//	round 2:    broadcast U_kj down the columns of processes, each its own j
//	hand-off:   U_ki to a member of row i mod TX of processes
//	round 3:    broadcast U_ki along the rows of processes, each its own i
//	everyone:   A_ij −= U_kiᵀU_kj                for k < i ≤ j
//
// A step's blocks are sent in one broadcast per team. In round 3, a row of processes needs blocks
// from columns that it does not own, because A is symmetric and only one triangle is stored. In the
// paper, the owner hands these blocks over directly (handoff = direct). With handoff = column,
// which is not in the paper, round 3 starts from the process of row i mod TX in the owner's column,
// which received the blocks in round 2. The paper's program blocks in each round. With lookahead =
// on, which is not in the paper, the rounds of step k + 1 overlap with the product of step k.
//
// The broadcasts of rounds 1 and 2 begin with a status word: whether the factorization
// continues. After round 2, all processes know of a pivot that is not positive, and all return the
// same error.
//
// U of the matrix "exact" consists of integers with a closed form, and so does every intermediate
// number. Each process compares its blocks bit for bit, and nothing is gathered. Random matrices
// are verified by the norm of A − UᵀU, for which the rounds are repeated. Up to 512 rows, they are
// also compared with gonum's factor.
//
// If a process of a simulation has more bytes of elements than real-limit, the matrix is size-only,
// and a small matrix on the same grid is verified.
package cholesky
