// Package inputfile opens files for reading. All files that a user names, or that another program
// may have written, are opened here. Only a regular file of limited size is opened. A folder, a pipe
// and a device are errors, and opening never waits for another program.
package inputfile
