// Package publish is the domain of Sandlot: projects, files, versions, keys, uploads, and the
// rules that hold between them.
//
// A transport (the API, the pages, the content origin) decodes a request, has an
// [Authenticator] find out who is calling, and calls one method of [Service]. The Service
// decides; a [Store] keeps the records, [Blobs] keeps the bytes, and [Statistics] tells the
// numbers of projects. Data flows one way: nothing in here calls back to a transport, and a
// store decides nothing. The package knows neither HTTP nor SQL.
//
// What it promises:
//
//   - Who may do what is decided by [Authorize] alone. Every method of the Service takes a
//     [Caller] after the context.
//   - A version never changes; an edit makes the next one. So whoever reads a version reads it
//     whole, whatever is published meanwhile. Its owner can erase an old one.
//   - Bytes never change either, and are stored under a random name before a record names them.
//     A crash in between leaves garbage, which is collected, and never a broken project.
//   - A change is one step of the store, with all that belongs to it: the version, the account,
//     its keys, the message that is due, the idempotency record, the upload that it uses up. It
//     happens wholly or not at all.
//   - When a method returns nil, what it did is on the disk, and every later call sees it, here
//     at once and in other processes within [HeadsHold].
//   - A call under an idempotency key has its effect once within [IdempotencyLife], and is
//     answered again the same way. A refusal leaves no effect and no record.
//   - A refusal is an [*Error] with a stable [Code], a message that may be shown, and a [Fix]
//     that would work. Any other error is a fault of the service; [AsError] tells what a caller
//     may know of it.
//   - No key is kept or logged: only its hash is, and where a call is answered again, the key
//     sealed with what only its owner can send.
//
// The file of a name has what it says: publish.go, update.go and manage.go what callers do,
// read.go what they see; caller.go and authenticator.go who they are; contents.go and
// contents_held.go how bytes come to be recorded; uploads.go and its neighbours the files that
// come in parts; idempotency.go how calls are told again; heads.go what is cached.
package publish
