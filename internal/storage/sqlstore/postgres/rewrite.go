package postgres

import (
	"regexp"
	"strconv"
	"sync"
)

// rewrittenMax bounds the queries that are kept. The store's are constants, and a few that differ by the length of a
// list; one that builds ever new ones loses speed, and takes no memory.
const rewrittenMax = 4096

// rewritten keeps the queries that numbered has rewritten. Its zero value is empty.
type rewritten struct {
	mu   sync.RWMutex
	kept map[string]string
}

func (r *rewritten) of(query string) string {
	r.mu.RLock()
	text, ok := r.kept[query]
	r.mu.RUnlock()
	if ok {
		return text
	}
	text = numbered(query)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil || len(r.kept) >= rewrittenMax {
		r.kept = map[string]string{}
	}
	r.kept[query] = text
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
