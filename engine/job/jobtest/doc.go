// Package jobtest is a launcher for tests. The processes of its job are parts of one program, connected by sockets.
package jobtest
