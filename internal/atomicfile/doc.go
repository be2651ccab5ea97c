// Package atomicfile writes files atomically.
//
//	temporary file next to the target → write → sync → rename → sync the folder
//
// If a step fails or is interrupted, the target does not change and the temporary file is removed.
// A target that is a link, a folder, a pipe or a device is an error; folders in its path can be
// links. A new file has mode 0644 without the bits of the umask. A replaced file never gets more
// permissions than before.
package atomicfile
