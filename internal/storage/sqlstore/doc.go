// Package sqlstore keeps the records of Sandlot in an SQL database, SQLite or PostgreSQL, and decides nothing. A [DB]
// has a small store for each consumer ([Publish], [Account], [Gallery] and others). Each method is one step or one
// consistent read of an [engine.Engine], so that it has happened wholly or not at all.
//
// # Versions
//
// A file is a row that is valid from one version up to, and without, another. An update closes one row and adds one.
// Rows of the past are never touched, so a version is a list that cannot change, and an update of a project with ten
// thousand files costs as much as one of a project with a single file.
//
// # Garbage
//
// Where a reference to a blob goes away, the blob is marked as loose in the same step. Sweep looks only at marked
// blobs, and forgets those that nothing refers to: its cost depends on the removed references, not on the kept ones.
// Should it ever be wrong, a foreign key stops it.
//
// # Migrations
//
// Each engine has its own, and with them the triggers that keep the lists of projects (projects_relisted), number the
// projects that a search is to read again (projects_stamped), have projects follow their accounts
// (accounts_followed), count the projects and bytes of an account (projects_removed, files_added, files_removed), keep
// the sums of an installation (*_summed) and guard the audit log (acts_no_*).
package sqlstore
