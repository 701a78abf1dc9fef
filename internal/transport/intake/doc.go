// Package intake reads the bodies of calls, as JSON, a form or a bare archive: it decodes their fields, and stages the
// bytes of their files as they arrive.
//
// It accepts a field whose meaning is unambiguous, and refuses near misses of fields that select the target of a
// change. It also supplies the fields of a call that a hint repeats. Every transport with bodies uses it, so that a
// call means the same on all of them.
package intake
