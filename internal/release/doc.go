// Command release builds a release of hybridtop from the checked-out commit, for `make dist`. Usage:
//
//	go run ./internal/release                     # writes the folder dist
//	go run ./internal/release -out DIR -nfpm V    # another folder, another version of nfpm
//
// The folder gets, for each of four platforms, an archive with the static program, the manual page,
// completions of four shells, and the licenses. Linux also gets hybridtop-mpi, which is not static, and packages
// for deb and rpm, which nfpm makes.
// SHA256SUMS has the checksums of all files.
//
// The version is the version that Go stores in the program. All times are the commit's, or
// SOURCE_DATE_EPOCH. The same commit and Go version therefore give the same bytes on every host. A tree
// with uncommitted changes is refused.
package main
