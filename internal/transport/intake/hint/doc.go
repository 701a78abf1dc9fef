// Package hint prints how to mend a request. The domain says it as data, a sandlot.Fix; this
// package completes it with what the request said, and writes it in the language of the
// transport that answers: [Curl] as calls for a shell, [Tool] as the call of a tool. Both
// propose the same operation with the same arguments.
//
// A proposal repeats every good argument of the request and changes nothing else. It never
// repeats a key, or anything that a shell, a terminal or a reader could take for something
// else: see [Showable]. What only the client can know stands in angle brackets, and is refused
// if it is sent as it stands.
//
// Nothing here keeps state. All functions may be called concurrently.
package hint
