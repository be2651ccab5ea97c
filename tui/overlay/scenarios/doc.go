// Package scenarios is the overlay that lists scenarios: files with what to run, what to watch and
// the paper.
//
//	/ overlap
//	▸overlap-sr8000   Is overlapping worth it? ε on the Hitachi SR8000-F1
//	                  spmv; paper 2, section 7.2.2, figure 6, equation (14)
//	                  Turn n_k local: …
package scenarios
