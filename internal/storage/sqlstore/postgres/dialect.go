package postgres

import "strings"

// dialect implements engine.Dialect.
type dialect struct{}

func (dialect) Numbers(parameter, alias string) string {
	return "(SELECT CAST(e.value AS bigint) AS value FROM json_array_elements_text(CAST(" + parameter + " AS json)) e(value)) " + alias
}

func (dialect) Texts(parameter, alias string) string {
	return "json_array_elements_text(CAST(" + parameter + " AS json)) " + alias + "(value)"
}

// Among looks an array up in the index. A join with the list instead would read all of it for each row of a table that
// the planner takes for small, because it has just grown and has no statistics yet.
func (dialect) Among(expression, table string) string {
	return expression + " = ANY (ARRAY (SELECT value FROM " + table + "))"
}

func (dialect) Greatest(values ...string) string {
	return "greatest(" + strings.Join(values, ", ") + ")"
}

// With the collation "C", lower changes the letters of ASCII alone, in any locale of the database. Columns of text have
// it, so their indexes serve.

func (dialect) EqualFold(a, b string) string {
	return `lower(` + a + ` COLLATE "C") = lower(` + b + ` COLLATE "C")`
}

func (dialect) DomainOf(address string) string {
	return "lower(substr(" + address + ", strpos(" + address + `, '@') + 1) COLLATE "C")`
}

func (dialect) Locked(tables ...string) string {
	return " FOR UPDATE OF " + strings.Join(tables, ", ")
}

// The lock is the transaction's, so a pooler keeps none of it.
func (dialect) Alone(parameter string) string {
	return "SELECT pg_advisory_xact_lock(CAST(" + parameter + " AS bigint))"
}

func (dialect) Together(parameter string) string {
	return "SELECT pg_advisory_xact_lock_shared(CAST(" + parameter + " AS bigint))"
}
