// Package sqlstore keeps the records of Sandlot in an SQL database: it is
// [publish.Store] and its three sisters on SQLite. It decides nothing. Who may
// do what, which names are allowed and how much is too much is settled before a
// call arrives here.
//
// # Writing
//
// An fsync costs about as much as a hundred small statements, so the store has
// one writer, and steps that wait while it commits share the next commit. Each
// step runs in a savepoint of its own: it can fail without hurting the others,
// and none is answered before all of them are on the disk. See writer.go.
//
// # Reading
//
// Readers have connections of their own that cannot write. With SQLite's
// write-ahead log they neither wait for the writer nor make it wait, and each
// sees one consistent state.
//
// # Versions
//
// A file is a row that is valid from one version up to, and without, another.
// An update closes one row and adds one. Rows of the past are never touched, so
// a version is a list that cannot change, and an update of a project with ten
// thousand files costs as much as one of a project with a single file.
//
// # Garbage
//
// Where a reference to a blob goes away, the blob is marked as loose in the same
// step. Sweep looks only at marked blobs, asks three indexes whether something
// refers to them still, and forgets them or takes the mark away: its cost
// depends on what went away, not on what is kept. Should it ever be wrong, a
// foreign key stops it.
//
// # Two dialects
//
// Queries are written in SQL that SQLite and PostgreSQL share (RETURNING, ON
// CONFLICT, partial indexes, integer times). What differs is in the migrations,
// one folder for each, and in opening a connection.
package sqlstore
