package sqlstore

import (
	"errors"
	"strings"
)

// guardChanges has every statement fail that changes what is read of a project, and
// does not count it: what is cached of the project would stay.
func guardChanges(db *DB) error {
	var errs []error
	if onPostgres(db) {
		errs = append(errs, execute(db, "CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''a change that is not counted''; END'"))
	}
	for table, columns := range map[string][]string{
		// All but the counts, and listed, which follows from others.
		"projects": {"id", "account", "title", "description", "lang", "primary_file", "version", "suffix", "size", "file_count", "oldest", "unlisted", "threads", "suspended_at", "deleted_at", "seq", "created_at", "updated_at"},
		"accounts": {"handle", "verified", "suspended_at", "deleted_at"},
	} {
		is, do := "IS NOT", "BEGIN SELECT raise(ABORT, 'a change that is not counted'); END"
		if onPostgres(db) {
			is, do = "IS DISTINCT FROM", "EXECUTE FUNCTION guard()"
		}
		errs = append(errs, execute(db, "CREATE TRIGGER guard_"+table+" AFTER UPDATE ON "+table+onEachRow(db)+
			" WHEN (new.changed < old.changed OR new.changed = old.changed AND (new."+strings.Join(columns, ", new.")+") "+is+" (old."+strings.Join(columns, ", old.")+
			")) "+do))
	}
	return errors.Join(errs...)
}

// onEachRow is the clause that PostgreSQL demands of a trigger.
func onEachRow(db *DB) string {
	if onPostgres(db) {
		return " FOR EACH ROW"
	}
	return ""
}
