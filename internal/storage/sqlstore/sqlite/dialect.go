package sqlite

import (
	"strings"

	"sandlot/internal/storage/sqlstore/engine"
)

// A Dialect is engine.Dialect in the words of SQLite.
type Dialect struct{}

var _ engine.Dialect = Dialect{}

// Numbers implements engine.Dialect.
func (Dialect) Numbers(parameter, alias string) string {
	return "json_each(" + parameter + ") " + alias
}

// Texts implements engine.Dialect.
func (d Dialect) Texts(parameter, alias string) string { return d.Numbers(parameter, alias) }

// Among implements engine.Dialect.
func (Dialect) Among(expression, table string) string {
	return expression + " IN (SELECT value FROM " + table + ")"
}

// Locked implements engine.Dialect: while a step runs nobody else writes.
func (Dialect) Locked(...string) string { return "" }

// Alone implements engine.Dialect: while a step runs nobody else writes.
func (Dialect) Alone(string) string { return "" }

// Greatest implements engine.Dialect.
func (Dialect) Greatest(values ...string) string {
	return "max(" + strings.Join(values, ", ") + ")"
}

// EqualFold implements engine.Dialect.
func (Dialect) EqualFold(a, b string) string { return a + " = " + b + " COLLATE NOCASE" }

// DomainOf implements engine.Dialect.
func (Dialect) DomainOf(address string) string {
	return "lower(substr(" + address + ", instr(" + address + ", '@') + 1))"
}
