// Package inspect says what bytes and texts hold: one of the service's keys, text, HTML,
// base64 of something else, addresses of other hosts. It knows no project and no caller, and
// decides nothing: what it finds are facts for package publish, for logs and for answers.
//
// Whoever sends content may make it as dear as they can, so each look passes over the bytes
// once, in constant memory, or is bounded.
package inspect
