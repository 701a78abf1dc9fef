package testworld

import (
	"fmt"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // database/sql knows it as pgx
)

// A dialect has the queries for which the databases have no words in common.
type dialect struct {
	tables   string                                // the names of the tables that have records
	integers func(column string) string            // the names of the tables that have a column of integers of that name
	row      func(r *records, table string) string // an expression for a row of the table
	written  func(r *records) string               // for a text that every commit changes
	bind     func(query string) string             // a query whose parameters are question marks
}

// The virtual tables are kept in tables of their own.
func (*embedded) dialect() dialect {
	const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%'"
	return dialect{
		tables: tables + " ORDER BY name",
		integers: func(column string) string {
			return tables + " AND EXISTS (SELECT 1 FROM pragma_table_info(sqlite_master.name) c WHERE c.name = '" +
				column + "' AND c.type = 'INTEGER') ORDER BY name"
		},
		row: func(r *records, table string) string {
			columns := r.Query("SELECT 'coalesce(hex(\"' || name || '\"), ''-'')' FROM pragma_table_info('" + table + "')")
			return strings.Join(columns, " || ' ' || ")
		},
		written: func(*records) string { return "PRAGMA data_version" },
		bind:    func(query string) string { return query },
	}
}

// The engine's own tables are no records. A transaction that writes a row leaves its number in it, and a transaction that deletes one
// leaves fewer.
func (*full) dialect() dialect {
	const tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema AND tablename NOT IN ('instance', " +
		"'migrations', 'steps')"
	return dialect{
		tables: tables + " ORDER BY 1",
		integers: func(column string) string {
			return tables + " AND tablename IN (SELECT table_name FROM information_schema.columns WHERE table_schema = " +
				"current_schema AND column_name = '" + column + "' AND data_type = 'bigint') ORDER BY 1"
		},
		row: func(_ *records, table string) string { return `"` + table + `"::text` },
		written: func(r *records) string {
			var each []string
			for _, name := range r.tables() {
				each = append(each, `SELECT count(*) || '/' || coalesce(max(xmin::text::bigint), 0) AS n FROM "`+name+`"`)
			}
			return "SELECT string_agg(n, ' ') FROM (" + strings.Join(each, " UNION ALL ") + ") t"
		},
		bind: func(query string) string {
			for n := 1; strings.Contains(query, "?"); n++ {
				query = strings.Replace(query, "?", fmt.Sprint("$", n), 1)
			}
			return query
		},
	}
}
