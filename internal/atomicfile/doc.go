// Package atomicfile writes files that are there wholly, or not at all.
//
//	temporary file beside the target → write → sync → rename → sync the folder
//
// Whatever fails or is interrupted on the way, the target stays as it was and the
// temporary file is removed. A target that is a link, a folder, a pipe or a device
// is refused; folders on the way may be links. A file has mode 0644 less what the
// umask takes away, and never more than the one that it replaces.
package atomicfile
