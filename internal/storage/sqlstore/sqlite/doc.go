// Package sqlite is an engine under the store's queries: one SQLite database, and everything that only SQLite can do.
// Package engine states the promises of an engine.
//
// # Steps
//
// [Engine.Step] is one atomic and durable step: when it returns nil, its effect is synced to the disk and every later
// read sees it. An fsync costs about as much as a hundred small statements, so there is one writer, and steps that
// wait while it commits share the next commit. Each fails on its own, and none is answered before all of them are on
// the disk. See writer.go.
//
// # Reads
//
// [Engine.Read] and [Engine.Snapshot] use connections that cannot write. With SQLite's write-ahead log they neither
// wait for the writer nor make it wait. Each query sees one consistent state, and a snapshot gives several queries
// the same one.
//
// # Errors
//
// [Classify] makes an error of the database one of sandlot.ErrExists, ErrNotFound, ErrFull, ErrCorrupt and
// ErrUnavailable. After a sync that failed, or where the files are no longer those that were opened, nothing is
// written any more.
//
// # The file
//
// [Open] creates the file or checks it, and brings its schema up to date (migrate.go). The log is kept short, and
// emptied of deleted records (log.go). Room that is not used is given back (space.go), a copy is taken beside reads
// and writes (copy.go), and every page can be checked (damage.go).
package sqlite
