package postgres

import (
	"regexp"
	"strconv"
	"sync"
)

// rewritten keeps the queries that numbered has rewritten. They are the store's constants, and few that differ by the
// length of a list.
type rewritten struct{ kept sync.Map }

func (r *rewritten) of(query string) string {
	if text, ok := r.kept.Load(query); ok {
		return text.(string)
	}
	text := numbered(query)
	r.kept.Store(query, text)
	return text
}

var parameters = regexp.MustCompile(`\?\d*`)

// numbered writes the parameters of a query as PostgreSQL has them, $1, and numbers them as SQLite does: ?7 is the
// seventh, and ? the one after the largest so far. No query has a question mark in a text or a comment.
func numbered(query string) string {
	largest := 0
	return parameters.ReplaceAllStringFunc(query, func(p string) string {
		n, err := strconv.Atoi(p[1:])
		if err != nil {
			n = largest + 1
		}
		largest = max(largest, n)
		return "$" + strconv.Itoa(n)
	})
}
