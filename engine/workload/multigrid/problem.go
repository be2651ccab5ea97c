package multigrid

import "math"

// The problem of HPGMG-FV: β is a smooth step around a sphere of radius ¼ in the middle,
// u = v(x)v(y)v(z) with v(s) = 2s⁶ − 6s⁵ + 5s⁴ − s², and f = −∇·β∇u.

// coefficient returns β at a point, and its gradient.
func coefficient(x, y, z float64) (beta float64, gradient [3]float64) {
	const center, change, steepness, radius = 0.5, 4.5, 10, 0.25
	d := [3]float64{x - center, y - center, z - center}
	r := math.Sqrt(float64(d[0]*d[0]) + float64(d[1]*d[1]) + float64(d[2]*d[2]))
	t := math.Tanh(steepness * (r - radius))
	beta = 5.5 + float64(change*t)
	if r == 0 {
		return beta, gradient
	}
	slope := change * steepness * (1 - float64(t*t)) / r
	for i := range gradient {
		gradient[i] = slope * d[i]
	}
	return beta, gradient
}

// profile returns v and its first two derivatives.
func profile(s float64) (v, first, second float64) {
	s2 := s * s
	s3 := s * s * s
	s4 := s * s * s * s
	v = float64(2*s4*s2) - float64(6*s4*s) + float64(5*s4) - s2
	first = float64(12*s4*s) - float64(30*s4) + float64(20*s3) - float64(2*s)
	second = float64(60*s4) - float64(120*s3) + float64(60*s2) - 2
	return v, first, second
}

// exact returns u at a point.
func exact(x, y, z float64) float64 {
	a, _, _ := profile(x)
	b, _, _ := profile(y)
	c, _, _ := profile(z)
	return a * b * c
}

// source returns f at a point.
func source(x, y, z float64) float64 {
	beta, g := coefficient(x, y, z)
	a, a1, a2 := profile(x)
	b, b1, b2 := profile(y)
	c, c1, c2 := profile(z)
	along := float64(g[0]*(a1*b*c)) + float64(g[1]*(a*b1*c)) + float64(g[2]*(a*b*c1))
	curve := float64(a2*b*c) + float64(a*b2*c) + float64(a*b*c2)
	return -(along + float64(beta*curve))
}
