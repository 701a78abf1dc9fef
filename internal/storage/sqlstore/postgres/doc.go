// Package postgres is the engine under the store's queries on PostgreSQL, which any number of equal nodes use at
// once. Package engine states its promises.
//
// # Steps
//
// [Engine.Step] runs a transaction, READ COMMITTED, on one connection of the pool. The cost of a step is its round
// trips to the database: one for each statement, for each list of statements ([engine.Tx.Run]) and for COMMIT. BEGIN
// goes with the first.
//
// An attempt that failed before COMMIT was sent, for a deadlock or a lost connection for example, is made again. When
// the connection breaks after that, the engine queries the database for the number that the step recorded: see
// outcome.go.
//
// # Reads
//
// [Engine.Read] and [Engine.Snapshot] use the same pool; steps leave a quarter of it to them. They are made again on a
// connection that answers if theirs turns out to be dead.
//
// # Behind a pooler
//
// PgBouncer, pooling transactions, gives each transaction any free session. So nothing is kept in sessions then: no
// prepared statement, no setting, no lock. [Open] detects it, as the process that answers is not the one that was
// announced to the connection.
//
// # Clocks
//
// The database's clock is read once a minute, and counted on from there (clock.go), so that nodes whose clocks
// disagree agree on leases.
//
// # The schema
//
// Migrations are numbered files, applied one at a time under a lock (migrate.go). A node starts, and goes on, beside
// migrations that it does not know, if it knows their oldest schema.
package postgres
