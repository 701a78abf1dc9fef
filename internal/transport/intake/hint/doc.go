// Package hint writes the proposal that corrects a refused request, for the transport that answers: [Curl] for a shell,
// [Tool] as the call of a tool.
//
// The domain supplies the proposal as data, a sandlot.Fix; this package completes it with the arguments of the request.
// Both forms propose the same operation with the same arguments.
//
// A proposal repeats every good argument of the request and changes nothing else. It never repeats a key, or characters
// that a shell, a terminal or a reader could misread: see [Showable]. A value that only the client can know is a
// placeholder in angle brackets, which the service refuses as it stands.
//
// Nothing here keeps state. All functions may be called concurrently.
package hint
