// Package glossary holds the definitions of the terms that hybridtop shows on the screen and in
// its documentation.
//
// A [Term] has a name, other spellings, a definition of one or two sentences and, where it helps, a
// formula and the place in a paper. The help overlay lists the terms; the command `hybridtop list
// terms` prints them.
package glossary
