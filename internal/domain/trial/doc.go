// Package trial opens each new version once, as a person would who found it: the play-tester. It checks whether the
// page paints, moves and fails, and warns the owner. Its findings are warnings: nothing is refused because of a trial,
// and nobody else sees them.
//
// It decides which version is opened when, and what its observations mean. Package browser, below it, opens a page
// without harm.
package trial
