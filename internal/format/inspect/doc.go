// Package inspect detects the content of bytes and texts: one of the service's keys, text, HTML, base64 of something
// else, addresses of other hosts. It knows no project and no caller, and decides nothing: its findings are facts for
// package publish, for logs and for answers.
//
// The sender of content may try to make it expensive, so each check passes over the bytes once, in constant memory, or
// is bounded.
package inspect
