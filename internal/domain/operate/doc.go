// Package operate holds the acts of the operator of an installation, and the workers that keep its stores in order:
// acts on accounts and projects and their audit log, reports, and the workers that collect, forget, shrink and verify
// stored records.
//
// [Service] is for commands: each of its methods is one step, together with its entry in the audit log, and may be
// called beside a running server. The workers run in the server:
//
//   - [Collector] deletes everything without references, and versions beyond those that are
//     kept. It deletes nothing by age while [AgeGuard] does not trust the clock.
//   - [Forgetter] deletes the messages of deleted accounts that were written as files.
//   - [Shrinker] returns unused room of the database to the disk.
//   - [Verifier] compares every blob with its hash and every record with the records and bytes
//     that it refers to. A command runs it, too.
//
// One item that fails holds up no other: a worker puts it off, counts it and goes on.
//
// The package builds on package publish, whose accounts and projects it works on, and knows
// neither the transports nor the stores behind its interfaces.
package operate
