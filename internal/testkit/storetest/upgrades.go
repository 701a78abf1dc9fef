package storetest

// An Upgrade proves a migration: the records of the release before it, and the results of queries after it.
type Upgrade struct {
	Name      string
	Migration string // the end of its file's name
	Before    []string
	After     map[string]string
}

const accountsBefore = `INSERT INTO accounts (id, handle, email, verified, lang, created_at, projects, bytes, deleted_at)
	VALUES (1, 'kim', '', 0, '', 0, 1, 0, NULL), (2, '', '', 0, '', 0, 0, 0, 0)`

// Upgrades are the migrations of both engines that change records.
var Upgrades = []Upgrade{
	{
		// Project 1 has the files a and b, and a version 2 under way that drops a and puts c; project 2 and its
		// account were to be new.
		Name: "a version that was being recorded in steps is taken back", Migration: "_drafts.sql",
		Before: []string{
			accountsBefore,
			`INSERT INTO projects (num, id, account, title, lang, primary_file, version, suffix, size, file_count,
				seq, created_at, updated_at, deleted_at)
				VALUES (1, 'pong', 1, '', '', 'b', 1, '', 2, 2, 1, 0, 0, NULL), (2, '+x', 2, '', '', '', 0, '', 0, 0, 0, 0, 0, 0)`,
			`INSERT INTO versions (project, n, suffix, created_at) VALUES (1, 1, '', 0), (2, 1, '', 0)`,
			`INSERT INTO blobs (id, ref, size, sha256, is_text, created_at)
				VALUES (1, 'a', 1, x'00', 0, 0), (2, 'b', 1, x'00', 0, 0), (3, 'c', 1, x'00', 0, 0), (4, 'd', 1, x'00', 0, 0)`,
			`INSERT INTO files (project, until, folded, name, since, blob) VALUES (1, 2, 'a', 'a', 1, 1), (1, 9223372036854775807, 'b', 'b', 1, 2),
				(1, 9223372036854775807, 'c', 'c', 2, 3), (2, 9223372036854775807, 'd', 'd', 1, 4)`,
			`INSERT INTO drafts (id, project, n) VALUES (1, 1, 2), (2, 2, 1)`,
		},
		After: map[string]string{
			"SELECT name FROM files WHERE until = 9223372036854775807 ORDER BY name": "a b",
			"SELECT id FROM projects":                            "pong",
			"SELECT handle FROM accounts WHERE bytes = 2":        "kim",
			"SELECT ref FROM blobs WHERE loose = 1 ORDER BY ref": "c d",
			"SELECT CAST(count(*) AS TEXT) FROM accounts":        "1",
			"SELECT CAST(count(*) AS TEXT) FROM versions":        "1",
			"SELECT CAST(count(*) AS TEXT) FROM files":           "2",
		},
	},
	{
		// Project 2 is in the trash, and project 3 was deleted for good.
		Name: "plays of days and figures become one table", Migration: "_days.sql",
		Before: []string{
			accountsBefore,
			`INSERT INTO projects (num, id, account, title, lang, primary_file, version, suffix, size, file_count,
				seq, created_at, updated_at, deleted_at) VALUES (1, 'pong', 1, '', '', 'b', 1, '', 2, 2, 1, 0, 0, NULL),
				(2, 'two', 1, '', '', 'b', 1, '', 2, 2, 2, 0, 0, 5), (3, 'three', 1, '', '', 'b', 1, '', 2, 2, 3, 0, 0, 5)`,
			`INSERT INTO trash (project, account, at) VALUES (2, 1, 5)`,
			`INSERT INTO play_days (day, project, plays) VALUES (1, 1, 10), (2, 1, 20), (3, 1, 30), (3, 2, 7), (3, 3, 8)`,
			`INSERT INTO day_figures (project, day, plays, likes, players, lengths)
				VALUES (1, 2, 15, 4, 3, x'05'), (1, 3, 30, 1, 2, x'06'), (1, 4, 0, 2, 0, NULL)`,
		},
		After: map[string]string{
			`SELECT project || '/' || day || '/' || plays || '/' || likes || '/' || players || '/' || coalesce(length(lengths), 0)
				FROM day_figures ORDER BY project, day`: "1/1/10/0/0/0 1/2/20/4/3/1 1/3/30/1/2/1 1/4/0/2/0/0 2/3/7/0/0/0",
		},
	},
}

// Landed is a project with a file, as every schema could hold it, ReadLanded is a query of it, and LandedRead its
// result.
var (
	Landed = []string{
		`INSERT INTO accounts (id, handle, email, verified, lang, created_at) VALUES (1, 'kim', '', 0, '', 0)`,
		`INSERT INTO projects (num, id, account, title, lang, primary_file, version, suffix, size, file_count, seq, created_at, updated_at)
			VALUES (1, 'pong', 1, 'Pong', '', 'a', 1, '', 1, 1, 1, 0, 0)`,
		`INSERT INTO versions (project, n, suffix, created_at) VALUES (1, 1, '', 0)`,
		`INSERT INTO blobs (id, ref, size, sha256, is_text, created_at) VALUES (1, 'r', 1, x'00', 0, 0)`,
		`INSERT INTO files (project, until, folded, name, since, blob) VALUES (1, 9223372036854775807, 'a', 'a', 1, 1)`,
	}
	ReadLanded = `SELECT a.handle || '/' || p.id || '/' || p.title || '/' || f.name || '/' || b.ref || '/' || length(b.sha256)
		FROM projects p JOIN accounts a ON a.id = p.account JOIN files f ON f.project = p.num JOIN blobs b ON b.id = f.blob`
	LandedRead = "kim/pong/Pong/a/r/1"
)
