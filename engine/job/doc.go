// Package job runs scenarios in the processes of a job.
//
// Each process of the job calls [Run]. It has a session with the same scenario, and process 0 ends the run.
//
// A job can have a front: a program on the host of process 0 that starts the job's launcher. Its [Fabric] is a
// fabric of a session. For each launch the fabric creates a socket, and starts the launcher. It is a Unix socket in a
// private folder, or a TCP socket if process 0 runs on another host.
// Process 0 finds the socket and a token in its environment, and connects. It sends its snapshots, each with only
// the new samples of the series. The front sends orders: start, pause, resume, step and stop. If the connection
// ends, the job ends.
package job
