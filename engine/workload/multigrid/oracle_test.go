package multigrid

import "testing"

// alone returns a sequential solver, and its finest and its next coarser box.
func alone(t *testing.T) (s *solver, fine, coarse *box) {
	t.Helper()
	s, err := newAlone(8, 4, 8)
	if err != nil {
		t.Fatal(err)
	}
	return s, s.levels[0].boxes[0], s.levels[1].boxes[0]
}

// TestWrongPart tests that a small error in each part of the sequential program is found.
func TestWrongPart(t *testing.T) {
	s, _, _ := alone(t)
	if wrong := s.wrongPart(); wrong != "" {
		t.Fatal(wrong)
	}
	for name, spoil := range map[string]func(s *solver, fine, coarse *box){
		"a coefficient of a pass":   func(s *solver, _, _ *box) { s.c2[2] *= 1 + 1e-9 },
		"a fine face":               func(_ *solver, fine, _ *box) { fine.v[vBetaJ][fine.index(3, 1, 2)] += 1e-9 },
		"a coarse face":             func(_ *solver, _, coarse *box) { coarse.v[vBetaK][coarse.index(1, 2, 5)] += 1e-9 },
		"the diagonal of a corner":  func(_ *solver, fine, _ *box) { fine.v[vDinv][fine.index(1, 1, 8)] *= 1.05 },
		"the diagonal of one level": func(_ *solver, _, coarse *box) { coarse.v[vDinv][coarse.index(2, 2, 2)] *= 1 + 1e-9 },
		"the size of a cell":        func(_ *solver, _, coarse *box) { coarse.h *= 1.05 },
	} {
		s, fine, coarse := alone(t)
		if spoil(s, fine, coarse); s.wrongPart() == "" {
			t.Errorf("%s is wrong, and not found", name)
		}
	}
}

// TestWrongPlain tests that a residual and an error that are not u's are found.
func TestWrongPlain(t *testing.T) {
	x, err := solveReference(8, 4, 8, 0)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := x.wrongPlain(x.residual, x.worst); wrong != "" {
		t.Fatal(wrong)
	}
	if x.wrongPlain(x.residual*1.05, x.worst) == "" || x.wrongPlain(x.residual, x.worst*1.05) == "" {
		t.Error("a residual or an error that is 5 % too large is not found")
	}
	was := x.residual
	x.v[vU][x.index(2, 3, 4)] *= 1.05
	if residual, _ := x.plain(); residual <= was {
		t.Errorf("the residual of a wrong u is %g, as small as that of the solution", residual)
	}
}
