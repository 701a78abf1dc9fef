package testenv

import (
	"context"
	"testing"

	"sandlot/internal/testkit/expect"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestPgbouncerPoolsTransactions(t *testing.T) {
	address := Pgbouncer(t)
	a, b := connect(t, address), connect(t, address)
	const process = "SELECT pg_backend_pid()"
	expect.Equal(t, "the process that serves two connections in turn", ask(t, a, process), ask(t, b, process))
}

func connect(t *testing.T, address string) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), address)
	expect.OK(t, err)
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// ask returns the first value of the answer's first row.
func ask(t *testing.T, c *pgconn.PgConn, statement string) string {
	t.Helper()
	results, err := c.Exec(t.Context(), statement).ReadAll()
	expect.OK(t, err, statement)
	if len(results) == 0 || len(results[0].Rows) == 0 {
		return ""
	}
	return string(results[0].Rows[0][0])
}
