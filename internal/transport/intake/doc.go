// Package intake reads the bodies of calls, in JSON, as a form or as an archive itself: their fields, and the bytes of files, which are
// staged as they come.
//
// It takes a field for what it can only mean, and refuses near misses of fields that choose what is changed. What a hint repeats of a call
// comes from here, too. Every transport with bodies uses it, so that a call means the same on all of them.
package intake
