package storetest

// Drafts are the records of a release that recorded versions of many files in steps: the
// project 1 has the files a and b, and a version 2 under way that drops a and puts c; the
// project 2 and its account were to be new.
var Drafts = []string{
	`INSERT INTO accounts (id, handle, email, verified, lang, created_at, projects, bytes, deleted_at)
		VALUES (1, 'kim', '', 0, '', 0, 1, 0, NULL), (2, '', '', 0, '', 0, 0, 0, 0)`,
	`INSERT INTO projects (num, id, account, title, lang, primary_file, version, suffix, size, file_count,
		seq, created_at, updated_at, deleted_at)
		VALUES (1, 'pong', 1, '', '', 'b', 1, '', 2, 2, 1, 0, 0, NULL), (2, '+x', 2, '', '', '', 0, '', 0, 0, 0, 0, 0, 0)`,
	`INSERT INTO versions (project, n, suffix, created_at) VALUES (1, 1, '', 0), (2, 1, '', 0)`,
	`INSERT INTO blobs (id, ref, size, sha256, is_text, created_at)
		VALUES (1, 'a', 1, x'00', 0, 0), (2, 'b', 1, x'00', 0, 0), (3, 'c', 1, x'00', 0, 0), (4, 'd', 1, x'00', 0, 0)`,
	`INSERT INTO files (project, until, folded, name, since, blob) VALUES (1, 2, 'a', 'a', 1, 1), (1, 9223372036854775807, 'b', 'b', 1, 2),
		(1, 9223372036854775807, 'c', 'c', 2, 3), (2, 9223372036854775807, 'd', 'd', 1, 4)`,
	`INSERT INTO drafts (id, project, n) VALUES (1, 1, 2), (2, 2, 1)`,
}

// Undrafted are the results of queries after a migration that takes Drafts back.
var Undrafted = map[string]string{
	"SELECT name FROM files WHERE until = 9223372036854775807 ORDER BY name": "a b",
	"SELECT id FROM projects":                            "pong",
	"SELECT handle FROM accounts WHERE bytes = 2":        "kim",
	"SELECT ref FROM blobs WHERE loose = 1 ORDER BY ref": "c d",
	"SELECT CAST(count(*) AS TEXT) FROM accounts":        "1",
	"SELECT CAST(count(*) AS TEXT) FROM versions":        "1",
	"SELECT CAST(count(*) AS TEXT) FROM files":           "2",
}
