// Package trial opens each new version once, as somebody would who found it: the play-tester. It
// looks whether anything is painted, moves and fails, and tells the owner. What it finds are
// warnings: nothing is refused because of a trial, and nobody else is told.
//
// It decides which version is opened when, and what is said of what was seen. How a page is opened
// without harm is the business of package browser, below it.
package trial
