// Package operate is what the operator of an installation does, and what keeps its
// stores in order: acts on accounts and projects and their audit log, reports, and the
// workers that collect, forget, shrink and verify what is stored.
//
// It builds on package publish, whose accounts and projects it works on, and knows
// neither the transports nor the stores behind its interfaces.
package operate
