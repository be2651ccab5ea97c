// Package network provides the study of the links of a torus: the bytes that each link carries,
// computed from the routes of a program's messages:
//
//	each(s, l, m, func(from, to int, bytes float64) {
//		for _, link := range net.Route(from, to, nil) {
//			carries[link] += bytes
//		}
//	})
package network
