package postgres

import "strings"

// rowsTogether are how many rows one statement inserts, the most that there are first: so a
// query has that many texts, and is prepared as often. A trigger runs once for each statement.
var rowsTogether = [...]int{50, 10, 1}

// InsertAll implements engine.Tx.
func (t *transaction) InsertAll(table, query string, rows [][]any) ([]int64, error) {
	ids := make([]int64, len(rows))
	with := make([][]any, len(rows))
	for i, args := range rows {
		id, err := t.next(table)
		if err != nil {
			return nil, err
		}
		ids[i], with[i] = id, append([]any{id}, args...)
	}
	return ids, t.LaterAll(query, with)
}

// LaterAll implements engine.Tx.
func (t *transaction) LaterAll(query string, rows [][]any) error {
	for _, n := range rowsTogether {
		for ; len(rows) >= n; rows = rows[n:] {
			args := make([]any, 0, n*len(rows[0]))
			for _, row := range rows[:n] {
				args = append(args, row...)
			}
			if err := t.Later(nil, forRows(query, n), args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// forRows is a query that inserts so many rows where it inserted one.
func forRows(query string, n int) string {
	if n == 1 {
		return query
	}
	one := query[strings.LastIndexByte(query, '('):]
	return query + strings.Repeat(", "+one, n-1)
}
