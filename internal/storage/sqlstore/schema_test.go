package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// unlike are the differences between the schemas that are meant, each with its reason.
var unlike = []struct {
	reason   string
	sqlite   []string
	postgres []string
}{
	{
		reason:   "SQLite has an index without regard to case, PostgreSQL one of an expression",
		sqlite:   []string{"index accounts_verified:"},
		postgres: []string{"index accounts_verified: on accounts by lower(email), where verified = 1"},
	},
	{
		reason:   "each index of SQLite ends with the number of the row",
		sqlite:   []string{"index projects_listed: on projects by listed, where listed = 1", "index projects_profile: on projects by account, where listed = 1"},
		postgres: []string{"index projects_listed: on projects by num, where listed = 1", "index projects_profile: on projects by account num, where listed = 1"},
	},
	{
		reason:   "only SQLite has REPLACE, only PostgreSQL TRUNCATE",
		sqlite:   []string{"trigger acts_no_replace "},
		postgres: []string{"trigger acts_no_truncate "},
	},
}

// own are the tables that an engine keeps for itself: which migrations it has had, and what
// tells it whether it can write, and whether a step was committed.
var own = []string{"migrations", "probe", "instance", "steps"}

// ofTable finds the table that a fact is about.
var ofTable = regexp.MustCompile(`^(?:table|column|number|primary key of|check of) (\w+)`)

func TestBothSchemasAreTheSame(t *testing.T) {
	t.Parallel()
	for _, difference := range unlikeSchemas(t, schemaOfSQLite(t), schemaOfPostgres(t, postgresSchema(t))) {
		t.Error(difference)
	}
}

func TestASchemaThatGrowsOnOneSideOnlyIsSeen(t *testing.T) {
	t.Parallel()
	lite, conn := schemaOfSQLite(t), postgresSchema(t)
	for _, c := range []struct{ change, seen string }{
		{"ALTER TABLE stops ADD COLUMN lang TEXT COLLATE \"C\"", "column stops.lang"},
		{"ALTER TABLE stops ALTER COLUMN until DROP NOT NULL", "column stops.until"},
		{"ALTER TABLE jobs ALTER COLUMN leased_until SET DEFAULT 1", "column jobs.leased_until"},
		{"ALTER TABLE handles ALTER COLUMN handle TYPE TEXT", "column handles.handle"},
		{"CREATE TABLE more (id BIGINT PRIMARY KEY)", "table more"},
		{"DROP INDEX jobs_due", "index jobs_due"},
		{"DROP INDEX mails_job; CREATE INDEX mails_job ON mails (job)", "index mails_job"},
		{"ALTER TABLE reports DROP CONSTRAINT reports_form_key", "unique reports"},
		{"ALTER TABLE jobs DROP CONSTRAINT jobs_account_fkey", "reference jobs.account"},
		{"ALTER TABLE checkpoints DROP CONSTRAINT checkpoints_blob_fkey, ADD FOREIGN KEY (blob) REFERENCES blobs (id)", "reference checkpoints.blob"},
		{"ALTER TABLE clock DROP CONSTRAINT clock_one_check", "check of clock"},
		{"DROP TRIGGER files_removed ON files", "trigger files_removed"},
		{"ALTER TABLE acts DISABLE TRIGGER acts_no_delete", "trigger acts_no_delete"},
		{"ALTER TABLE uploads ALTER COLUMN num DROP IDENTITY", "number uploads.num"},
	} {
		tx, err := conn.Begin(context.Background())
		expect.OK(t, err)
		_, err = tx.Exec(context.Background(), c.change)
		expect.OK(t, err)
		seen := unlikeSchemas(t, lite, schemaOfPostgres(t, conn))
		expect.OK(t, tx.Rollback(context.Background()))
		if !slices.ContainsFunc(seen, func(d string) bool { return strings.Contains(d, c.seen) }) {
			t.Errorf("after %s nothing is said of %s: %q", c.change, c.seen, seen)
		}
	}
}

func TestBothEnginesNameTheSameMailbox(t *testing.T) {
	t.Parallel()
	addresses := []string{
		"", "@", "+", "a", "a+b", "+a", "a+", "A@B.c", "a@", "@b", "a@b@c", "a+b@c", "a@b+c", "+@b", "a.b@Gmail.com", "A.B+c.d@googlemail.COM", "a.b.@gmail.com", ".@gmail.com",
		"@gmail.com", "gmail.com", "+@gmail.com", "a@b@gmail.com", "a@gmail.com@b", "a@gmail.com.", "a@gmail.com ", "ÄÖ@EXAMPLE.com", "İI@x", "名前.x@gmail.com", "名前+x@例え.jp", "ß+ß@ẞ", "a'b@c",
	}
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	emptyDatabase.Lay(t, path)
	lite, err := sql.Open("sqlite", path)
	expect.OK(t, err)
	defer lite.Close()
	pg := postgresSchema(t)
	_, err = pg.Exec(context.Background(), "INSERT INTO accounts (id, handle, email, verified, lang, created_at) VALUES (1, '', '', 0, '', 0)")
	expect.OK(t, err)
	for _, insert := range []struct{ lite, pg string }{
		{"logins (browser, email, back, tries, proved, asked_at, expires_at) VALUES (CAST(?1 AS BLOB), ?1, '', 0, 0, 0, 0)", "logins (browser, email, back, tries, proved, asked_at, expires_at) VALUES (convert_to($1, 'UTF8'), $1, '', 0, 0, 0, 0)"},
		{"email_moves (account, email, undo, expires_at) VALUES (1, ?, 0, 0)", "email_moves (account, email, undo, expires_at) VALUES (1, $1, 0, 0)"},
	} {
		for _, address := range addresses {
			var want, got string
			expect.OK(t, lite.QueryRow("INSERT INTO "+insert.lite+" RETURNING mailbox", address).Scan(&want))
			expect.OK(t, pg.QueryRow(context.Background(), "INSERT INTO "+insert.pg+" RETURNING mailbox", address).Scan(&got))
			if got != want {
				t.Errorf("the mailbox of %q is %q on PostgreSQL and %q on SQLite", address, got, want)
			}
		}
	}
}

func TestPostgresRefusesToChangeTheAuditLog(t *testing.T) {
	t.Parallel()
	conn := postgresSchema(t)
	const entry = "INSERT INTO acts (id, at, actor, action, target, reason) VALUES (1, 0, 'a', 'a', 'a', 'a')"
	_, err := conn.Exec(context.Background(), entry)
	expect.OK(t, err)
	for query, says := range map[string]string{
		"UPDATE acts SET reason = 'b'": "the audit log is never changed",
		"DELETE FROM acts":             "the audit log is never changed",
		"TRUNCATE acts":                "the audit log is never changed",
		"TRUNCATE acts, stops":         "the audit log is never changed",
		entry + " ON CONFLICT (id) DO UPDATE SET reason = 'b'": "the audit log is never changed",
		entry: "acts_pkey",
		"MERGE INTO acts USING acts o ON true WHEN MATCHED THEN DELETE": "the audit log is never changed",
	} {
		if _, err := conn.Exec(context.Background(), query); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v", query, err)
		}
	}
	var reason string
	expect.OK(t, conn.QueryRow(context.Background(), "SELECT reason FROM acts").Scan(&reason))
	expect.Equal(t, "the entry", reason, "a")
}

// unlikeSchemas tells what only one of two schemas says, but for what is meant.
func unlikeSchemas(t *testing.T, lite, pg []string) (list []string) {
	t.Helper()
	var meantLite, meantPG []string
	for _, u := range unlike {
		meantLite, meantPG = append(meantLite, u.sqlite...), append(meantPG, u.postgres...)
	}
	list = append(list, onlyIn("SQLite", lite, pg, meantLite)...)
	return append(list, onlyIn("PostgreSQL", pg, lite, meantPG)...)
}

func onlyIn(engine string, facts, other, meant []string) (list []string) {
	for _, f := range facts {
		if table := ofTable.FindStringSubmatch(f); table != nil && slices.Contains(own, table[1]) {
			continue
		}
		begins := func(m string) bool { return strings.HasPrefix(f, m) }
		if !slices.Contains(other, f) && !slices.ContainsFunc(meant, begins) {
			list = append(list, "only in "+engine+": "+f)
		}
	}
	for _, m := range meant {
		if !slices.ContainsFunc(facts, func(f string) bool { return strings.HasPrefix(f, m) && !slices.Contains(other, f) }) {
			list = append(list, "only in "+engine+" should be, but is not: "+m)
		}
	}
	return list
}

// postgresSchema is a connection to a database with the tables.
func postgresSchema(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), emptyServer.Postgres(t))
	expect.OK(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func schemaOfPostgres(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	ask := func(query string, args ...any) []map[string]any {
		rows, err := conn.Query(context.Background(), query, args...)
		expect.OK(t, err)
		list, err := pgx.CollectRows(rows, pgx.RowToMap)
		expect.OK(t, err)
		return list
	}
	var facts []string
	for _, c := range ask(`SELECT c.relname AS tab FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`) {
		facts = append(facts, "table "+c["tab"].(string))
	}
	kinds := map[string]string{"bigint": "number", `text COLLATE "C"`: "text", "bytea": "bytes"}
	for _, c := range ask(`SELECT c.relname AS tab, a.attname AS col, a.attnotnull AS must, a.attgenerated <> '' AS made, coalesce(pg_get_expr(d.adbin, d.adrelid), '') AS def,
			format_type(a.atttypid, a.atttypmod) || coalesce(' COLLATE "' || l.collname || '"', '') AS kind, a.attidentity <> '' AS numbered,
			coalesce(pg_get_serial_sequence(c.relname, a.attname), '') AS seq
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum LEFT JOIN pg_collation l ON l.oid = a.attcollation
		WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`) {
		f := column{table: c["tab"].(string), name: c["col"].(string), kind: kinds[c["kind"].(string)], must: c["must"].(bool), made: c["made"].(bool)}
		if f.kind == "" {
			f.kind = c["kind"].(string)
		}
		if def := c["def"].(string); def != "" && !f.made {
			f.def = literal(ask("SELECT " + def + " AS it")[0]["it"])
		}
		facts = append(facts, f.String())
		if c["numbered"].(bool) && c["seq"].(string) == "public."+f.table+"_"+f.name+"_seq" {
			facts = append(facts, "number "+f.table+"."+f.name)
		}
	}
	for _, x := range ask(`SELECT c.relname AS tab, i.relname AS name, x.indisunique AS only, x.indisprimary AS prim, n.oid IS NOT NULL AS said, coalesce(pg_get_expr(x.indpred, x.indrelid, true), '') AS pred,
			array(SELECT pg_get_indexdef(x.indexrelid, k, true) FROM generate_series(1, x.indnkeyatts) k ORDER BY k)::text[] AS cols
		FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid LEFT JOIN pg_constraint n ON n.conindid = i.oid AND n.contype = 'u'
		WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`) {
		f := index{table: x["tab"].(string), name: x["name"].(string), unique: x["only"].(bool), primary: x["prim"].(bool), constraint: x["said"].(bool), where: x["pred"].(string)}
		for _, c := range x["cols"].([]any) {
			f.columns = append(f.columns, c.(string))
		}
		facts = append(facts, f.String())
	}
	for _, k := range ask(`SELECT c.relname AS tab, k.contype::text AS kind, pg_get_constraintdef(k.oid, true) AS def
		FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE k.contype IN ('f', 'c') AND c.relnamespace = 'public'::regnamespace`) {
		def := k["def"].(string)
		if k["kind"] == "c" {
			facts = append(facts, "check of "+k["tab"].(string)+": "+plain(strings.TrimPrefix(def, "CHECK ")))
			continue
		}
		part := regexp.MustCompile(`^FOREIGN KEY \((\w+)\) REFERENCES (\w+)\((\w+)\)(?: ON DELETE (CASCADE))?$`).FindStringSubmatch(def)
		if part == nil {
			t.Fatalf("a reference is %s", def)
		}
		facts = append(facts, reference(k["tab"].(string), part[1], part[2], part[3], part[4]))
	}
	for _, g := range ask(`SELECT g.tgname AS name, c.relname AS tab FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid WHERE NOT g.tgisinternal AND g.tgenabled = 'O' AND c.relnamespace = 'public'::regnamespace`) {
		facts = append(facts, "trigger "+g["name"].(string)+" of "+g["tab"].(string))
	}
	return facts
}

func schemaOfSQLite(t *testing.T) []string {
	t.Helper()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	emptyDatabase.Lay(t, path)
	db, err := sql.Open("sqlite", path)
	expect.OK(t, err)
	t.Cleanup(func() { expect.OK(t, db.Close()) })
	var facts []string
	for _, table := range askSQLite(t, db, "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'") {
		facts = append(facts, "table "+text(table["name"]))
		if !strings.HasPrefix(text(table["name"]), "listings_") {
			facts = append(facts, tableOfSQLite(t, db, text(table["name"]), text(table["sql"]))...)
		}
	}
	for _, g := range askSQLite(t, db, "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger'") {
		facts = append(facts, "trigger "+text(g["name"])+" of "+text(g["tbl_name"]))
	}
	return facts
}

func tableOfSQLite(t *testing.T, db *sql.DB, table, definition string) (facts []string) {
	t.Helper()
	kinds := map[string]string{"INTEGER": "number", "TEXT": "text", "BLOB": "bytes"}
	var key []string
	var refers, integer bool
	for _, c := range askSQLite(t, db, "SELECT * FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY pk", table) {
		f := column{table: table, name: text(c["name"]), kind: kinds[text(c["type"])], must: c["notnull"] != int64(0) || c["pk"] != int64(0), made: c["hidden"] == int64(2)}
		if c["dflt_value"] != nil {
			f.def = literal(askSQLite(t, db, "SELECT "+text(c["dflt_value"])+" AS it")[0]["it"])
		}
		facts = append(facts, f.String())
		if c["pk"] != int64(0) {
			key, integer = append(key, f.name), f.kind == "number"
		}
	}
	if len(key) > 0 {
		facts = append(facts, index{table: table, primary: true, columns: key}.String())
	}
	for _, r := range askSQLite(t, db, "SELECT * FROM pragma_foreign_key_list(?)", table) {
		refers = refers || slices.Contains(key, text(r["from"]))
		facts = append(facts, reference(table, text(r["from"]), text(r["table"]), text(r["to"]), strings.TrimPrefix(text(r["on_delete"]), "NO ACTION")))
	}
	for _, check := range regexp.MustCompile(`CHECK (\([^()]*\))`).FindAllStringSubmatch(definition, -1) {
		facts = append(facts, "check of "+table+": "+plain(check[1]))
		refers = refers || len(key) == 1 && strings.Contains(check[1], key[0]+" = 1")
	}
	if len(key) == 1 && integer && !refers && !strings.Contains(definition, "WITHOUT ROWID") { // SQLite gives it a number
		facts = append(facts, "number "+table+"."+key[0])
	}
	for _, x := range askSQLite(t, db, `SELECT l.name, l."unique", l.origin, s.sql FROM pragma_index_list(?) l JOIN sqlite_schema s ON s.name = l.name WHERE l.origin <> 'pk'`, table) {
		f := index{table: table, name: text(x["name"]), unique: x["unique"] != int64(0), constraint: x["origin"] == "u"}
		for _, c := range askSQLite(t, db, `SELECT name, coll FROM pragma_index_xinfo(?) WHERE "key" = 1 ORDER BY seqno`, f.name) {
			name := text(c["name"])
			if c["coll"] != "BINARY" {
				name += " COLLATE " + text(c["coll"])
			}
			f.columns = append(f.columns, name)
		}
		_, f.where, _ = strings.Cut(text(x["sql"]), " WHERE ")
		facts = append(facts, f.String())
	}
	return facts
}

func askSQLite(t *testing.T, db *sql.DB, query string, args ...any) (list []map[string]any) {
	t.Helper()
	rows, err := db.Query(query, args...)
	expect.OK(t, err)
	names, err := rows.Columns()
	for err == nil && rows.Next() {
		values, to := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			to[i] = &values[i]
		}
		err = rows.Scan(to...)
		row := map[string]any{}
		for i, n := range names {
			row[n] = values[i]
		}
		list = append(list, row)
	}
	expect.OK(t, errors.Join(err, rows.Err(), rows.Close()))
	return list
}

// text is a column that may be null.
func text(v any) string {
	s, _ := v.(string)
	return s
}

type column struct {
	table, name, kind, def string
	must, made             bool
}

func (c column) String() string {
	s := fmt.Sprintf("column %s.%s: %s", c.table, c.name, c.kind)
	if c.must {
		s += ", not null"
	}
	if c.made {
		s += ", generated"
	}
	if c.def != "" {
		s += ", " + c.def + " by itself"
	}
	return s
}

type index struct {
	table, name, where          string
	columns                     []string
	unique, primary, constraint bool
}

func (x index) String() string {
	columns := strings.Join(x.columns, " ")
	switch {
	case x.primary:
		return "primary key of " + x.table + ": " + columns
	case x.constraint:
		return "unique " + x.table + ": " + columns
	}
	s := "index " + x.name + ": on " + x.table + " by " + columns
	if x.unique {
		s += ", unique"
	}
	if x.where != "" {
		s += ", where " + plain(x.where)
	}
	return s
}

func reference(table, column, to, key, deleted string) string {
	return strings.TrimSpace(fmt.Sprintf("reference %s.%s: to %s.%s %s", table, column, to, key, deleted))
}

// plain is a condition without its brackets and the names of types.
func plain(condition string) string {
	return strings.NewReplacer("(", "", ")", "", "::text", "").Replace(condition)
}

// literal is a value as it may stand in a query.
func literal(v any) string {
	switch v := v.(type) {
	case []byte:
		return "x'" + hex.EncodeToString(v) + "'"
	case string:
		return "'" + v + "'"
	}
	return fmt.Sprint(v)
}
