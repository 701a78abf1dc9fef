package sqlstore

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// impersonal are the columns of each table that hold nothing of a person: numbers, times, states, and hashes of files.
// A column is here or in the table of docs/data.md.
var impersonal = map[string]string{
	"accounts":      "id verified created_at suspended_at deleted_at projects bytes verified_at seq changed role most_projects",
	"acts":          "id at actor action",
	"blocks":        "board period sort at player n",
	"blobs":         "id ref size sha256 is_text squeezed loose created_at leased_until",
	"boards":        "num project name ascending least most seconds state created_at moved_at",
	"checkpoints":   "blob points",
	"clock":         "one at",
	"contents":      "blob",
	"connects":      "account expires_at",
	"counters":      "process batch at",
	"covers":        "project wish upload shot source made findings tries leased_until",
	"decisions":     "id batch project account action reason moderator at before objected_at undone_at",
	"devices":       "project scope asked_at expires_at pause polled_at decided",
	"day_figures":   "project day plays likes players lengths",
	"day_salts":     "day",
	"day_sources":   "project day plays",
	"email_links":   "move",
	"email_moves":   "id account undo expires_at",
	"erasures":      "project n",
	"faults":        "project version hash kind chrome firefox safari edge other count first_at last_at",
	"feedback":      "id project version at",
	"files":         "project until since blob",
	"follows":       "account after",
	"featured":      "one project",
	"forgets":       "account proved",
	"handles":       "account renamed_at",
	"idempotency":   "expires_at account project version mail",
	"identities":    "linked_at",
	"invitations":   "id projects made_at expires_at used_at ended_at",
	"jobs":          "id kind account login attempts due leased_until",
	"keys":          "id account project created_at last_used_at revoked_at edits",
	"leases":        "work leased_until",
	"likes":         "project counted",
	"listing":       "one unverified",
	"loads":         "at",
	"logins":        "id tries proved asked_at expires_at",
	"mails":         "id at job",
	"instance":      "one id probed_at probe",
	"steps":         "slot step at",
	"migrations":    "n name sha256 applied_at expands",
	"people":        "account",
	"picture_sizes": "picture width blob",
	"pictures":      "id project account made_at gone_at",
	"notes":         "id project at",
	"oldest_schema": "one n",
	"player_tokens": "project player at",
	"player_totals": "project players held shared keys scores charged",
	"players":       "num project refused day held saves",
	"probe":         "one bytes",
	"project_tags":  "project",
	"projects": "num id account lang primary_file version suffix size file_count plays likes seq created_at updated_at" +
		" deleted_at suspended_at oldest unlisted listed threads counted changed cover covered tried wrapper stamp runtime",
	"removals":        "project at",
	"reports":         "id number project reason job at closed_at",
	"runs":            "kind at good_at damaged",
	"saves":           "player at",
	"scores":          "board period sort at",
	"secrets":         "name",
	"sessions":        "id account created_at proved_at seen_at expires_at",
	"shared":          "project at",
	"sqlite_sequence": "name seq",
	"stops":           "id kind at until",
	"tickets":         "key project used expires_at",
	"tokens":          "key refresh expires_at replaced_at",
	"trash":           "project account at",
	"trials":          "project version at outcome trying tries leased_until day opened",
	"upload_parts":    "upload n blob",
	"uploads": "num total generation expires_at done_project done_version done_part done_sha256 account received bytes held" +
		" leased_until",
	"variants":        "blob encoding variant crc32",
	"verifications":   "account expires_at",
	"version_figures": "project version day plays likes players lengths",
	"versions":        "project n suffix created_at primary_file erased_at restored_from",
}

// documented returns the tables of docs/data.md with the columns that hold something of a person.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/data.md")
	expect.OK(t, err)
	tables, quoted := map[string][]string{}, regexp.MustCompile("`([^`]+)`")
	words := func(cell string) (list []string) {
		for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
			list = append(list, m[1])
		}
		return list
	}
	section, _, _ := strings.Cut(string(text), "\n## Elsewhere")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		for _, table := range words(cells[1]) {
			tables[table] = words(cells[3])
			expect.Equal(t, table+" says how long", strings.TrimSpace(cells[4]) != "", true)
		}
	}
	return tables
}

// compares holds the rows of a schema, of a table and a column each, against the document and the list, and returns the
// columns by table.
func compares(t *testing.T, rows interface {
	Next() bool
	Scan(to ...any) error
	Err() error
},
) map[string][]string {
	t.Helper()
	schema := map[string][]string{}
	for rows.Next() {
		var table, column string
		expect.OK(t, rows.Scan(&table, &column))
		schema[table] = append(schema[table], column)
	}
	expect.OK(t, rows.Err())
	said := documented(t)
	for table, columns := range schema {
		for _, c := range said[table] {
			if !slices.Contains(columns, c) {
				t.Errorf("docs/data.md names %s.%s, which is no column", table, c)
			}
		}
		if _, ok := said[table]; !ok {
			t.Errorf("docs/data.md does not say what the table %s keeps, how long, and what deletes it", table)
		}
		for _, c := range columns {
			if slices.Contains(strings.Fields(impersonal[table]), c) == slices.Contains(said[table], c) {
				t.Errorf("the column %s.%s is in both or neither of docs/data.md and the impersonal ones of this test", table, c)
			}
		}
	}
	expect.Equal(t, "tables of the schema are many", len(schema) > 40, true)
	return schema
}

func TestWhatIsKeptIsDocumented(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	emptyDatabase.Lay(t, path)
	db, err := sql.Open("sqlite", path)
	expect.OK(t, err)
	defer db.Close()
	rows, err := db.Query(`SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c
		WHERE m.type = 'table'`)
	expect.OK(t, err)
	defer rows.Close()
	schema := compares(t, rows)
	t.Run("no row is left of a table that is gone", func(t *testing.T) {
		for table := range documented(t) {
			_, here := schema[table]
			expect.Equal(t, table+" is a table", here || slices.Contains(onlyPostgres, table), true)
		}
	})
}

// onlyPostgres are tables of PostgreSQL alone.
var onlyPostgres = []string{"instance", "steps"}

func TestWhatIsKeptIsDocumentedForPostgres(t *testing.T) {
	t.Parallel()
	conn := postgresSchema(t)
	rows, err := conn.Query(t.Context(), `SELECT c.table_name, c.column_name FROM information_schema.columns c
		JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'`)
	expect.OK(t, err)
	defer rows.Close()
	compares(t, rows)
}
