package sqlite

import (
	"encoding/json"
	"strings"
)

// A Dialect writes the parts of queries that each database has its own words for.
// All else in the queries is SQL that SQLite and PostgreSQL share.
type Dialect struct{}

// Among holds where the expression is one of a list, which List makes a parameter.
func (Dialect) Among(expression, parameter string) string {
	return expression + " IN (SELECT value FROM json_each(" + parameter + "))"
}

// Each is a list as a table with the column value, for FROM, under an alias.
func (Dialect) Each(parameter, alias string) string {
	return "json_each(" + parameter + ") " + alias
}

// List is the parameter of Among and Each for a list.
func List[T ~int64 | ~string](list []T) string {
	text, _ := json.Marshal(append([]T{}, list...)) // numbers and strings always can
	return string(text)
}

// Greatest is the largest of several values.
func (Dialect) Greatest(values ...string) string {
	return "max(" + strings.Join(values, ", ") + ")"
}

// EqualFold holds where two texts are the same but for the case of ASCII letters. The
// indexes of addresses serve it if the column comes first.
func (Dialect) EqualFold(a, b string) string { return a + " = " + b + " COLLATE NOCASE" }

// DomainOf is the domain of an address, in small letters.
func (Dialect) DomainOf(address string) string {
	return "lower(substr(" + address + ", instr(" + address + ", '@') + 1))"
}
