// Package network has the study of what the links of a torus carry, by the routes of a
// program's messages:
//
//	each(s, l, m, func(from, to int, bytes float64) {
//		for _, link := range net.Route(from, to, nil) {
//			carries[link] += bytes
//		}
//	})
package network
