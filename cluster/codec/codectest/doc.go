// Package codectest tests that every field of plain data is encoded and decoded. It fills each
// field with a value, so that a field without a walk decodes as zero:
//
//	codectest.Travels(t, (*Point).fields, nil)
package codectest
