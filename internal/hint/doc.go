// Package hint prints how to mend a request: a Fix of the domain, filled up with what
// the request said, in the language of the transport that answers. Curl prints calls for a
// shell, Tool the call of a tool with its arguments. Both propose the same operation with the same
// arguments: what differs is how they are written.
//
// Nothing here keeps state; everything may be called concurrently.
package hint
