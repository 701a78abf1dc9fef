package sqlstore

import (
	"path/filepath"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestEveryMistakeOfAProjectIsNamed(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"UPDATE projects SET file_count = 9":                                          "recorded with 9 files, and has 2",
		"UPDATE projects SET size = 1":                                                "recorded with 1 bytes, and its files have",
		"UPDATE projects SET version = 9":                                             "at version 9, and its newest is 3",
		"UPDATE projects SET suffix = 'other'":                                        "the address of version 3 is not the project's",
		"UPDATE projects SET primary_file = 'none.html'":                              "lacks its primary file",
		"UPDATE files SET since = 2 WHERE name = 'index.html'":                        "of its 3 versions that were not erased 1 lack their primary file",
		"DELETE FROM versions WHERE n = 2":                                            "of its versions 1 to 3 there are 2",
		"DELETE FROM versions WHERE n = 1":                                            "oldest version should be 1, and is 2",
		"INSERT INTO player_totals (project, scores) SELECT num, 65536 FROM projects": "its boards are recorded with 65536 bytes, and have 0",
		"DELETE FROM versions WHERE n = 3":                                            "at version 3, and its newest is 2",
		"DELETE FROM files WHERE name = 'index.html'":                                 "recorded with 2 files, and has 1",
		"UPDATE files SET blob = 999 WHERE name = 'index.html'":                       "the record of its bytes is missing",
	} {
		t.Run(want, func(t *testing.T) {
			path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
			db := mustOpen(t, path)
			p := mustProject(t, db, 1)
			for _, name := range []string{"a.js", "a.js"} {
				var err error
				f := sandlot.File{Name: name, Folded: name, Blob: sandlot.Blob{Inline: []byte("abc"), Size: 3}}
				p, err = db.Publish().PutFile(t.Context(), p.ID, f, publish.Edit{Expect: p.Version, Suffix: "next"})
				expect.Is(t, "put", err, nil)
			}
			foreign(t, path, query)
			found, seen, _, err := db.Upkeep().Mistakes(t.Context(), 0, 9)
			expect.Is(t, "mistakes", err, nil)
			var all []string
			for _, m := range found {
				all = append(all, m.Detail)
				expect.Equal(t, m.Detail+" is told of", m.Project, p.ID)
			}
			if seen != 1 || !strings.Contains(strings.Join(all, "\n"), want) {
				t.Errorf("of %d projects: %q", seen, all)
			}
		})
	}
}

func TestEveryMistakeOfAnAccountIsNamed(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"UPDATE accounts SET projects = 9":  "recorded with 9 projects, and has 1",
		"UPDATE accounts SET bytes = 1":     "recorded with 1 bytes in all versions and of players, and has",
		"UPDATE handles SET handle = 'lee'": "its handle is not among those given out",
	} {
		path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
		db := mustOpen(t, path)
		mustProject(t, db, 1)
		found, seen, _, err := db.Upkeep().AccountMistakes(t.Context(), 0, 9)
		if err != nil || seen != 1 || len(found) != 0 {
			t.Fatalf("of %d undamaged accounts: %v, %v", seen, found, err)
		}
		foreign(t, path, query)
		found, _, _, err = db.Upkeep().AccountMistakes(t.Context(), 0, 9)
		if err != nil || len(found) != 1 || !strings.Contains(found[0].Detail, want) || found[0].Handle == "" {
			t.Errorf("%s: %v, %v", query, found, err)
		}
	}
}

func TestDamageOfTheDatabaseIsTold(t *testing.T) {
	t.Parallel()
	t.Run("a reference to what is missing", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
		db := mustOpen(t, path)
		mustProject(t, db, 1)
		foreign(t, path, "UPDATE keys SET account = 999")
		list, err := db.Upkeep().Damage(t.Context(), 9)
		expect.Is(t, "damage", err, nil)
		if len(list) == 0 || !strings.Contains(list[0], "a record of keys refers to one of accounts that is missing") {
			t.Errorf("told is %q", list)
		}
	})
	t.Run("an index that lacks a row", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
		db := mustOpen(t, path)
		mustProject(t, db, 1)
		foreign(t, path, "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'WHERE renamed_at > 0', 'WHERE renamed_at = 0') WHERE name = 'handles_renamed'")
		expect.Is(t, "close", db.Close(), nil)
		db = mustOpen(t, path)
		list, err := db.Upkeep().Damage(t.Context(), 9)
		expect.Is(t, "damage", err, nil)
		if len(list) == 0 || !strings.Contains(strings.Join(list, " "), "handles_renamed") {
			t.Errorf("told is %q", list)
		}
	})
}
