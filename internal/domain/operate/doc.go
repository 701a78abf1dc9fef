// Package operate holds the acts of the operator of an installation, and the workers that keep its stores in order.
//
// [Service] is for commands: each of its methods is one step, together with its entry in the audit log, and may be
// called beside a running server. The workers run in the server: [Collector] deletes everything without references,
// nothing by age while [AgeGuard] does not trust the clock; [Forgetter] deletes the messages of deleted accounts;
// [Shrinker] returns unused room to the disk. [Verifier] compares all records and bytes. One item that fails holds up no
// other: a worker puts it off, counts it and goes on.
package operate
