// Package sandlot holds the words of the service, which every room uses: identifiers, projects and their versions,
// callers and their permissions, errors and their fixes, keys, addresses, and the record of a step's changes.
//
// It imports only the standard library and package names, and keeps nothing.
package sandlot
