package sim_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
)

// evaluate computes a formula such as 2*o + L + 99*G in picoseconds. It supports + - * and max(..).
// An unknown name is an error.
func evaluate(formula string, names map[string]cluster.Time) (cluster.Time, error) {
	x, err := parser.ParseExpr(formula)
	if err != nil {
		return 0, err
	}
	return value(x, names)
}

func value(x ast.Expr, names map[string]cluster.Time) (cluster.Time, error) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return value(x.X, names)
	case *ast.BasicLit:
		n, err := strconv.ParseInt(x.Value, 10, 64)
		return cluster.Time(n), err
	case *ast.Ident:
		v, ok := names[x.Name]
		if !ok {
			return 0, fmt.Errorf("unknown name %s", x.Name)
		}
		return v, nil
	case *ast.BinaryExpr:
		a, err := value(x.X, names)
		if err != nil {
			return 0, err
		}
		b, err := value(x.Y, names)
		if err != nil {
			return 0, err
		}
		switch x.Op {
		case token.ADD:
			return a + b, nil
		case token.SUB:
			return a - b, nil
		case token.MUL:
			return a * b, nil
		}
	case *ast.CallExpr:
		if f, ok := x.Fun.(*ast.Ident); ok && f.Name == "max" && len(x.Args) > 0 {
			var latest cluster.Time
			for i, arg := range x.Args {
				v, err := value(arg, names)
				if err != nil {
					return 0, err
				}
				if i == 0 || v > latest {
					latest = v
				}
			}
			return latest, nil
		}
	}
	return 0, fmt.Errorf("formula: want names, integers, + - * and max(..), got %T", x)
}
