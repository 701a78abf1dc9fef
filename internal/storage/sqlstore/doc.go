// Package sqlstore keeps the records of Sandlot in an SQL database, SQLite or PostgreSQL. A
// [DB] has a small store for each consumer: [Publish], [Credentials] and [Variants],
// [Account] and [Mail], [Gallery], [Operate] and [Upkeep]. They share the engine and its transactions, and
// decide nothing. Who may do what, which names are allowed and how much is too much is
// settled before a call arrives here.
//
// # Engine
//
// The queries here run on an [engine.Engine], which makes steps durable, reads beside
// them, and has a method for each feature that databases do in their own way: the parts of
// queries that databases say in other words ([engine.Dialect]), copies, checks and
// room. Each method of the store is one step or one consistent read, so that it has
// happened wholly or not at all.
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
// depends on the removed references, not on the kept ones. Should it ever be wrong, a
// foreign key stops it.
//
// # Moves
//
// A [Move] copies all records of a database that nobody uses into another one, whichever
// engines they are on, in one step and over one list of tables, and compares them.
//
// # Migrations
//
// Each engine has its own, and with them the triggers that keep the lists of projects
// (projects_relisted), number the projects that a search is to read again (projects_stamped), have projects follow their accounts
// (accounts_followed), count the projects and bytes of an account (projects_removed, files_added,
// files_removed) and guard the audit log (acts_*).
package sqlstore
