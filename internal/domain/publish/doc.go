// Package publish is the room of projects, files, versions, keys and uploads, and of the rules that hold between them.
//
// A transport (the API, the pages, the content origin) decodes a request, has an [Authenticator] find the caller, and
// calls one method of [Service]. The Service decides; a [Store] keeps the records, [Blobs] keeps the bytes, and
// [Statistics] returns the counts of projects. Data flows one way: nothing in here calls back to a transport, and a
// store decides nothing. The package knows neither HTTP nor SQL.
//
// Its promises:
//
//   - [Authorize] alone decides who may do what. Every method of the Service takes a [Caller] after
//     the context.
//   - A version never changes; an edit makes the next one. So a reader of a version sees all of it,
//     whatever is published meanwhile. Its owner can erase an old one.
//   - Bytes never change either, and are stored under a random name before a record names them.
//     A crash in between leaves garbage, which is collected, and never a broken project.
//   - A change is one step of the store, with all that belongs to it: the version, the account,
//     its keys, the message that is due, the idempotency record, the upload that it uses up. It
//     happens wholly or not at all.
//   - When a method returns nil, its effect is on the disk, and every later call sees it, here at
//     once and in other processes within [heads.Hold].
//   - A call under an idempotency key has its effect once within [IdempotencyLife], and a repeat
//     gets the same answer. A refusal leaves no effect and no record.
//   - A refusal is an [*Error] with a stable [Code], a message that may be shown, and a [Fix]
//     that would work. Any other error is a fault of the service; [AsError] makes of it the error
//     that a caller may see.
//   - No key is kept or logged, only its hash. For the answer to a repeated call the key is kept
//     sealed with a secret that only its owner can send.
//
// Each file is named after its contents: publish.go, update.go and manage.go hold the calls that change projects,
// read.go those that read them; caller.go and authenticator.go identify the caller; contents.go and contents_held.go
// stage bytes until they are recorded; uploads.go and its neighbours handle files that come in parts; idempotency.go
// answers repeated calls.
package publish
