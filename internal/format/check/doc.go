// Package check says what is probably wrong with a project's files, so that whoever published them can mend it: a file
// that a page asks for and that is not there, a document that was cut off, what works at one address and not at another.
// It knows names and texts, neither a store nor HTTP. It refuses nothing, changes nothing, and when in doubt says nothing:
// a warning about what is right costs more than one that is missing.
//
// At looks at the text of one file, Version.Findings at what was seen in all of them. Whoever sends content may make it as
// dear as they can: each look passes over the text once for each of two purposes, keeps a bounded number of references, and
// no step's cost depends on more than the length of the text.
package check
