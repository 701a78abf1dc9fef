package sqlstore

import (
	"context"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A recorded querier records its queries.
type recorded struct {
	querier
	queries *[]string
}

func (n recorded) read(ctx context.Context, read func(engine.Querier) error) error {
	return n.querier.read(ctx, func(q engine.Querier) error { return read(recordedQueries{q, n.queries}) })
}

type recordedQueries struct {
	engine.Querier
	queries *[]string
}

func (n recordedQueries) Query(ctx context.Context, query string, args ...any) (engine.Rows, error) {
	*n.queries = append(*n.queries, query)
	return n.Querier.Query(ctx, query, args...)
}

// TestTotalsReadNoWholeTable: a scan is one of a table with few rows, or of an index that has only rows that wait or are suspended.
func TestTotalsReadNoWholeTable(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	var queries []string
	r := totalReader{ctx: t.Context(), q: recorded{db, &queries}}
	r.totals(time.Now())
	expect.OK(t, r.err)
	few := regexp.MustCompile(`^SCAN (CONSTANT|x|s|sums|trash|forgets)\b|^SCAN \w+ USING (COVERING )?INDEX ` +
		`(accounts_suspended|projects_suspended|projects_uncovered|projects_untried|reports_open|jobs_due)$`)
	for _, q := range queries {
		for _, line := range plan(t, db, q) {
			if regexp.MustCompile(`^SCAN `).MatchString(line) && !few.MatchString(line) {
				t.Errorf("%s\n\tof %s", line, q)
			}
		}
	}
	if len(queries) < 12 {
		t.Errorf("only %d queries were seen", len(queries))
	}
}
