package sqlstore

import (
	"slices"
	"strings"

	"sandlot/internal/storage/sqlstore/engine"
)

// movedTables are the tables that a move takes along: all that keep records. A test holds
// them to the schema. Columns are numbers, texts (:t) or bytes (:b); what the database makes
// of others is not among them.
var movedTables = []engine.Table{
	moved("secrets", "name:t", "value:b"),
	numbered("accounts", "id", "handle:t email:t verified lang:t created_at suspended_at deleted_at projects bytes verified_at seq changed portrait:t"),
	moved("people", "account", "line:t link:t"),
	moved("handles", "handle:t", "account renamed_at"),
	numbered("projects", "num", `id:t account title:t lang:t primary_file:t version suffix:t size file_count plays likes seq created_at updated_at
		deleted_at suspended_at oldest unlisted listed description:t threads counted changed cover:t tags:t covered tried wrapper:t stamp`, "id"),
	numbered("keys", "id", "hash:b account project name:t last_four:t created_at last_used_at revoked_at", "hash"),
	moved("project_tags", "tag:t project", ""),
	moved("versions", "project n", "suffix:t created_at title:t primary_file:t erased_at restored_from"),
	numbered("blobs", "id", "ref:t size sha256:b is_text squeezed loose created_at leased_until", "ref"),
	moved("contents", "blob", "bytes:b"),
	moved("checkpoints", "blob", "points:b"),
	moved("files", "project until folded:t", "name:t since blob"),
	moved("variants", "blob encoding:t", "variant crc32"),
	moved("pictures", "id:t", "project account made_at gone_at"),
	moved("picture_sizes", "picture:t width", "blob"),
	moved("covers", "project", "wish:t file:t upload:t shot:t source:t made:t findings:t tries leased_until"),
	numbered("uploads", "num", `key:b owner:b meta:b total generation expires_at done_project:t done_version done_part done_sha256:b done_answer:b
		token:b account received:b bytes held done_made:b owner56:b owner48:b leased_until`, "key", "token"),
	moved("upload_parts", "upload n", "blob"),
	moved("tickets", "hash:b", "key project:t owner:b owner56:b owner48:b told:b used expires_at"),
	numbered("mails", "id", "mailbox:b at job"),
	moved("verifications", "token:b", "account email:t expires_at"),
	moved("trash", "project", "account at"),
	moved("trials", "project", "version at outcome:t seen:t trying tries leased_until day opened"),
	moved("removals", "project", "at"),
	numbered("acts", "id", "at actor:t action:t target:t reason:t name:t"),
	moved("once", "key:b", "request:b expires_at account project:t version mail answer:b made:b"),
	numbered("sessions", "id", "hash:b account agent:t created_at proved_at seen_at expires_at", "hash"),
	moved("play_days", "day project", "plays"),
	moved("day_figures", "project day", "plays likes players seen:b lengths:b"),
	moved("version_figures", "project version", "day plays likes players seen:b lengths:b"),
	moved("day_sources", "project day host:t", "plays"),
	numbered("logins", "id", "browser:b token:b code:b email:t back:t tries proved asked_at expires_at", "browser", "token"),
	numbered("jobs", "id", "kind:t account login address:t lang:t attempts due asker:t network:b leased_until"),
	numbered("email_moves", "id", "account email:t undo expires_at"),
	moved("email_links", "token:b", "move"),
	numbered("reports", "id", "number:t form:b project:t reason:t details:t contact:t job at closed_at", "number", "form"),
	moved("likes", "project visitor:b", "counted"),
	numbered("stops", "id", "mailbox:b kind:t at until", "mailbox kind"),
	moved("clock", "one", "at"),
	moved("counters", "process", "batch at"),
	moved("day_salts", "day", "salt:b"),
	moved("follows", "account", "after"),
	moved("erasures", "project n", ""),
	numbered("drafts", "id", "project n undone holder:t leased_until", "project"),
	moved("listing", "one", "unverified"),
	moved("forgets", "account email:t", "proved"),
}

// Rows of most tables are small. Those with bytes of their own are read fewer at a time:
// contents have up to inline-max, checkpoints 32 bytes for each MiB, an upload a bit for
// each part, an idempotency record what it takes to answer again.
const (
	movedPage      = 500
	movedHeavyPage = 64
)

func moved(name, key, rest string, unique ...string) engine.Table {
	t := engine.Table{Name: name, Columns: columns(key), Page: movedPage}
	t.Keys = len(t.Columns)
	t.Columns = append(t.Columns, columns(rest)...)
	for _, together := range unique {
		var set []int
		for _, c := range strings.Fields(together) {
			set = append(set, slices.IndexFunc(t.Columns, func(have engine.Column) bool { return have.Name == c }))
		}
		t.Unique = append(t.Unique, set)
	}
	if slices.Contains([]string{"contents", "checkpoints", "uploads", "tickets", "once", "blobs"}, name) {
		t.Page = movedHeavyPage
	}
	return t
}

func numbered(name, key, rest string, unique ...string) engine.Table {
	t := moved(name, key, rest, unique...)
	t.Numbered = true
	return t
}

func columns(text string) (list []engine.Column) {
	for _, n := range strings.Fields(text) {
		name, kind, other := strings.Cut(n, ":")
		c := engine.Column{Name: name, Kind: engine.Number}
		if other {
			c.Kind = engine.Kind(kind[0])
		}
		list = append(list, c)
	}
	return list
}
