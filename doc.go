// Package sandlot has the words of the service, which every room speaks: identifiers, projects and their versions, callers and
// what they may do, errors and how to mend them, keys, addresses, and what a step of a store changed.
//
// It imports the standard library and package names alone, and keeps nothing.
package sandlot
