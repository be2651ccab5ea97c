// Package build identifies a build of the program by the data that go build stores in it: the
// version of the module and the commit.
//
//	go install MODULE@v1.2.0   v1.2.0
//	go build, in a clone       v1.2.1-0.20261124171713-97e54d82bf01+dirty (97e54d82bf01, modified)
//	go build -buildvcs=false   version unknown
package build
