package postgres

import (
	"strconv"
	"strings"
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

// numbered is a query with its parameters written as PostgreSQL has them, $1, and numbered as SQLite does it: ?7 is
// the seventh, and ? the one after the largest so far. What is in quotes or a comment is left as it is.
func numbered(query string) string {
	if !strings.Contains(query, "?") {
		return query
	}
	var text strings.Builder
	text.Grow(len(query) + 16)
	largest := 0
	for i := 0; i < len(query); {
		if query[i] != '?' {
			n := token(query[i:])
			text.WriteString(query[i : i+n])
			i += n
			continue
		}
		digits := i + 1
		for i = digits; i < len(query) && '0' <= query[i] && query[i] <= '9'; {
			i++
		}
		n, err := strconv.Atoi(query[digits:i])
		if err != nil {
			n = largest + 1
		}
		largest = max(largest, n)
		text.WriteByte('$')
		text.WriteString(strconv.Itoa(n))
	}
	return text.String()
}

// token returns the length of the first token of a query: a text or a name in quotes, a comment, or a single byte.
func token(query string) int {
	end := ""
	switch {
	case query[0] == '\'' || query[0] == '"':
		end = query[:1] // a quote that is doubled ends one and begins the next
	case strings.HasPrefix(query, "--"):
		end = "\n"
	case strings.HasPrefix(query, "/*"):
		end = "*/"
	default:
		return 1
	}
	skip := 1
	if end == "*/" {
		skip = 2
	}
	n := strings.Index(query[skip:], end)
	if n < 0 {
		return len(query)
	}
	return skip + n + len(end)
}
