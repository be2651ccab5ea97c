// Package host knows the machine that this process runs on, as far as a fabric has
// to before it takes memory: [Check].
package host
