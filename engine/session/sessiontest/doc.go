// Package sessiontest runs a workload for the tests of its package.
package sessiontest
