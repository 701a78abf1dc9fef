// Package check reports probable faults in a project's files, so that their author can fix them: a file that a page
// asks for and that is missing, a document that was cut off, a feature that works at one address and not at another. It
// knows names and texts, neither a store nor HTTP. It refuses nothing, changes nothing, and when in doubt says nothing:
// a false warning costs more than a missing one.
//
// At looks at the text of one file, Version.Findings at the Looks of all of them. The sender of content may try to make
// it expensive: each look scans the text once for each of two purposes, keeps a bounded number of references, and no
// step's cost depends on more than the length of the text.
package check
