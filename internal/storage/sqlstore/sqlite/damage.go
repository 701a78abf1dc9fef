package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// Damage has SQLite check every page, index and reference, and returns the faults, at most limit lines of
// each kind. References of the table except are left out.
func (e *Engine) Damage(ctx context.Context, limit int, except string) ([]string, error) {
	var list []string
	err := e.Snapshot(ctx, func(s engine.Querier) (err error) {
		list, err = damage(ctx, s, limit, except)
		return err
	})
	return list, err
}

func damage(ctx context.Context, q engine.Querier, limit int, except string) ([]string, error) {
	list, err := values[string](ctx, q, fmt.Sprintf("PRAGMA integrity_check(%d)", limit))
	if errors.Is(err, sandlot.ErrCorrupt) {
		return []string{oneLine(err.Error())}, nil
	}
	if err != nil {
		return nil, in("check the database", err)
	}
	if len(list) == 1 && list[0] == "ok" {
		list = nil
	}
	for i := range list {
		list[i] = oneLine(list[i])
	}
	dangling, err := values[string](ctx, q, `
		SELECT 'a record of ' || "table" || ' refers to one of ' || parent || ' that is missing' FROM pragma_foreign_key_check
		WHERE "table" <> ? LIMIT ?`, except, limit)
	return append(list, dangling...), in("check references", err)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
