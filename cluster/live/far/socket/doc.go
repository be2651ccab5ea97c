// Package socket carries frames and bodies between processes of one host through Unix sockets. Tests use it to
// run programs over several processes without an MPI library.
package socket
