package sqlstore

import (
	"slices"
	"strings"

	"sandlot/internal/storage/sqlstore/engine"
)

// movedTables are the tables that keep records, each behind those that it refers to, with the columns that the
// database does not compute by itself. A test holds them to the schema.
var movedTables = []engine.Table{
	moved("secrets", "name", "value"),
	numbered("accounts", "id", `handle email mailbox verified lang created_at suspended_at deleted_at projects bytes verified_at
		seq changed portrait role most_projects trusted_at`),
	moved("people", "account", "line link"),
	moved("handles", "handle", "account renamed_at"),
	numbered("projects", "num", `id account title lang primary_file version suffix size file_count plays likes seq created_at updated_at
		deleted_at suspended_at oldest unlisted listed description threads counted changed cover tags covered tried wrapper stamp runtime hold hold_at hold_end
		immune_until judged`),
	numbered("keys", "id", "hash account project name last_four created_at last_used_at revoked_at edits client"),
	moved("tokens", "hash", "key refresh expires_at replaced_at"),
	moved("devices", "code", "user_code client name project scope asked_at expires_at pause polled_at decided"),
	numbered("players", "num", "project id name code refused day held saves"),
	moved("player_tokens", "project hash", "player at"),
	moved("saves", "player slot", "value at"),
	moved("shared", "project key", "value at"),
	moved("player_totals", "project", "players held shared keys scores charged"),
	moved("faults", "project version hash", "kind message place stack chrome firefox safari edge other count first_at last_at"),
	numbered("feedback", "id", "project version text token at"),
	numbered("boards", "num", "project name ascending least most seconds state created_at moved_at"),
	moved("scores", "player board period", "sort at"),
	moved("blocks", "board period sort at player", "n"),
	moved("connects", "code", "account expires_at"),
	moved("project_tags", "tag project", ""),
	moved("versions", "project n", "suffix created_at title primary_file erased_at restored_from"),
	numbered("blobs", "id", "ref size sha256 is_text squeezed loose created_at leased_until"),
	moved("contents", "blob", "bytes"),
	moved("checkpoints", "blob", "points"),
	moved("files", "project until folded", "name since blob"),
	moved("variants", "blob encoding", "variant crc32"),
	moved("pictures", "id", "project account made_at gone_at"),
	moved("picture_sizes", "picture width", "blob"),
	moved("covers", "project", "wish file upload shot source made findings tries leased_until"),
	numbered("uploads", "num", `key owner meta total generation expires_at done_project done_version done_part done_sha256 done_answer
		token account received bytes held done_made owner56 owner48 leased_until`),
	moved("upload_parts", "upload n", "blob"),
	moved("tickets", "hash", "key project owner owner56 owner48 told used expires_at"),
	numbered("invitations", "id", "token projects made_by made_at expires_at used_at ended_at account"),
	moved("identities", "issuer subject", "account linked_at"),
	moved("featured", "one", "project"),
	numbered("mails", "id", "mailbox at job"),
	moved("verifications", "token", "account email expires_at"),
	moved("trash", "project", "account at"),
	moved("trials", "project", "version at outcome seen trying tries leased_until day opened"),
	moved("removals", "project", "at"),
	numbered("acts", "id", "at actor action target reason name"),
	moved("idempotency", "key", "request expires_at account project version mail answer made"),
	numbered("sessions", "id", "hash account agent created_at proved_at seen_at expires_at"),
	moved("day_figures", "project day", "plays likes players seen lengths"),
	moved("version_figures", "project version", "day plays likes players seen lengths"),
	moved("day_sources", "project day host", "plays"),
	numbered("logins", "id", "browser token code email back tries proved asked_at expires_at"),
	numbered("jobs", "id", "kind account login address lang attempts due asker network leased_until about"),
	numbered("email_moves", "id", "account email undo expires_at"),
	moved("email_links", "token", "move"),
	numbered("reports", "id", "number form project reason details contact job at closed_at network via mailed answer"),
	moved("held_views", "project version network", "at"),
	numbered("blocked", "id", "kind value reason actor at until"),
	moved("blocklists", "name", "kind body lines reason actor at until generation"),
	moved("blocking", "one", "generation"),
	moved("publishers", "account network", "wide at"),
	numbered("reporters", "id", "hash name made_at used_at ended_at"),
	numbered("decisions", "id", `batch project account action reason note actor moderator at before code objection objected_at
		undone_at undone_by`),
	numbered("notes", "id", "project actor text at"),
	moved("verdicts", "project", "version answer reason at reversed_at judging tries leased_until"),
	moved("looks", "service", "tried_at done_at"),
	moved("sightings", "host service", "found_at checked_at"),
	moved("likes", "project visitor", "counted"),
	numbered("stops", "id", "mailbox kind at until"),
	moved("clock", "one", "at"),
	moved("counters", "process", "batch at"),
	moved("day_salts", "day", "salt"),
	moved("follows", "account", "after"),
	moved("erasures", "project n", ""),
	moved("listing", "one", "unverified"),
	moved("forgets", "account email", "proved"),
	moved("runs", "kind", "at good_at damaged"),
}

// Rows of most tables are small. Rows with bytes of their own are read fewer at a time: contents have up to inline-max,
// checkpoints 32 bytes for each MiB, an upload a bit for each part, an idempotency record its answer.
const (
	movedPage      = 500
	movedHeavyPage = 64
)

func moved(name, key, rest string) engine.Table {
	t := engine.Table{Name: name, Columns: strings.Fields(key), Page: movedPage}
	t.Keys = len(t.Columns)
	t.Columns = append(t.Columns, strings.Fields(rest)...)
	if slices.Contains([]string{"contents", "checkpoints", "uploads", "tickets", "idempotency", "blobs", "saves", "shared", "blocklists"}, name) {
		t.Page = movedHeavyPage
	}
	return t
}

func numbered(name, key, rest string) engine.Table {
	t := moved(name, key, rest)
	t.Numbered = true
	return t
}
