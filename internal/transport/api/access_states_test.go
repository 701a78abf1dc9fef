package api

import (
	"fmt"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// states are what a project may have become. Each has all that the routes of projects then answer: nobody, the account's key,
// its own key, another account's key.
var states = map[string]struct {
	make func(t *testing.T, c *cast)
	want map[string]string
}{
	"in the trash": {
		func(_ *testing.T, c *cast) {
			c.send("DELETE", "/v1/project/"+c.projectID, c.account, obj{"confirm": c.projectID}).wants(200)
		},
		map[string]string{
			"read": "404 404 401 404", "stats": "404 404 404 404", "versions": "401 404 401 404", "checks": "401 404 401 404", "bytes": "401 404 401 404", "bytes of a version": "401 404 401 404",
			"update": "401 404 401 404", "update by an archive": "401 404 401 404", "dry run": "401 404 401 404", "delete a file": "401 404 401 404", "restore": "401 404 401 404",
			"amend": "401 404 401 404", "ticket": "401 404 401 404", "delete": "401 200 401 404",
		},
	},
	"suspended": {
		func(t *testing.T, c *cast) {
			_, err := c.Operate.Suspend(t.Context(), byOperator, c.projectID, "spam")
			expect.OK(t, err)
		},
		map[string]string{
			"read": "451 200 200 451", "stats": "451 451 451 451", "versions": "401 451 451 403", "checks": "401 451 451 403", "bytes": "401 451 451 403", "bytes of a version": "401 451 451 403",
			"update": "401 451 451 403", "update by an archive": "401 451 451 403", "dry run": "401 451 451 403", "delete a file": "401 451 451 403", "restore": "401 451 451 403",
			"amend": "401 451 451 403", "ticket": "401 451 451 403", "delete": "401 200 401 404", // which stays suspended if it is taken back
		},
	},
	"of a suspended account": {
		func(t *testing.T, c *cast) {
			_, err := c.Operate.Suspend(t.Context(), byOperator, "@"+c.get("/v1/whoami", c.account).str("handle"), "spam")
			expect.OK(t, err)
		},
		map[string]string{
			"read": "451 200 200 451", "stats": "451 451 451 451", "versions": "401 451 451 403", "checks": "401 451 451 403", "bytes": "401 451 451 403", "bytes of a version": "401 451 451 403",
			"update": "401 403 403 403", "update by an archive": "401 403 403 403", "dry run": "401 403 403 403", "delete a file": "401 403 403 403", "restore": "401 403 403 403",
			"amend": "401 403 403 403", "ticket": "401 403 403 403", "delete": "401 403 403 403",
		},
	},
	"of a deleted account": {
		func(t *testing.T, c *cast) {
			_, err := c.Operate.Delete(t.Context(), byOperator, "@"+c.get("/v1/whoami", c.account).str("handle"), "it was asked for")
			expect.OK(t, err)
		},
		map[string]string{
			"read": "404 401 401 404", "stats": "404 404 404 404", "versions": "401 401 401 404", "checks": "401 401 401 404", "bytes": "401 401 401 404", "bytes of a version": "401 401 401 404",
			"update": "401 401 401 404", "update by an archive": "401 401 401 404", "dry run": "401 401 401 404", "delete a file": "401 401 401 404", "restore": "401 401 401 404",
			"amend": "401 401 401 404", "ticket": "401 401 401 404", "delete": "401 401 401 404",
		},
	},
}

func TestAccessToWhatAProjectHasBecome(t *testing.T) {
	t.Parallel()
	zipped := treeZIP(t)
	for state, s := range states {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			c := newCast(t)
			s.make(t, c)
			id := c.projectID
			at := "/v1/project/" + id
			raw := with("Content-Type", "application/zip")
			calls := map[string]func(key string) answer{
				"read":               func(key string) answer { return c.get(at, key) },
				"stats":              func(key string) answer { return c.get(at+"/stats", key) },
				"versions":           func(key string) answer { return c.get(at+"/versions", key) },
				"checks":             func(key string) answer { return c.get(at+"/checks", key) },
				"bytes":              func(key string) answer { return c.get(at+"/files/index.html", key) },
				"bytes of a version": func(key string) answer { return c.get(at+"/files/index.html?version=1", key) },
				"update": func(key string) answer {
					return c.post("/v1/update", key, obj{"project_id": id, "filename": "a", "text": "b"})
				},
				"update by an archive": func(key string) answer { return c.post("/v1/update?project_id="+id, key, zipped, raw, lax) },
				"dry run": func(key string) answer {
					return c.post("/v1/update", key, obj{"project_id": id, "filename": "a", "text": "b", "dry_run": true})
				},
				"delete a file": func(key string) answer {
					return c.post("/v1/delete-file", key, obj{"project_id": id, "filename": "logo.svg"})
				},
				"restore": func(key string) answer { return c.post("/v1/restore", key, obj{"project_id": id, "version": 1}) },
				"amend":   func(key string) answer { return c.send("PATCH", at, key, obj{"title": "Other"}) },
				"ticket":  func(key string) answer { return c.post("/v1/uploads", key, obj{"project_id": id, "filename": "a"}) },
				"delete":  func(key string) answer { return c.send("DELETE", at, key, obj{"confirm": id}) },
			}
			check := func(name string) {
				var got []string
				for _, key := range []string{"", c.account, c.project, c.otherAccount} {
					got = append(got, fmt.Sprint(calls[name](key).status))
				}
				if have := strings.Join(got, " "); have != s.want[name] {
					t.Errorf("%s: got %s, want %s", name, have, s.want[name])
				}
			}
			c.unchanged(func() {
				for name := range calls {
					if name != "delete" {
						check(name)
					}
				}
			})
			check("delete")
		})
	}
}

// TestAProjectThatIsNotThereYetIsSeenByNobody: what is recorded in steps counts as deleted until the last of them.
func TestAProjectThatIsNotThereYetIsSeenByNobody(t *testing.T) {
	t.Parallel()
	w := settled(t)
	w.Exec(`INSERT INTO projects (id, account, title, lang, primary_file, version, suffix, size, file_count, seq, created_at, updated_at, deleted_at)
		SELECT '+UNBORN', account, '', '', '', 0, '', 0, 0, 0, 1, 1, 0 FROM projects WHERE id = ?`, w.projectID)
	for _, id := range []string{"%2BUNBORN", "+UNBORN", "unborn"} {
		for _, path := range []string{"", "/stats", "/versions", "/files/index.html"} {
			if got := w.get("/v1/project/"+id+path, w.account); got.status != 404 {
				t.Errorf("%s%s: got %s", id, path, got.text)
			}
		}
		if got := w.post("/v1/update", w.account, obj{"project_id": id, "filename": "a", "text": "b"}); got.status != 404 {
			t.Errorf("update of %s: got %s", id, got.text)
		}
	}
	if got := w.get("/v1/whoami", w.account).wants(200); len(got.body["projects"].([]any)) != 1 || strings.Contains(got.text, "UNBORN") {
		t.Errorf("whoami tells %s", got.text)
	}
	if got := w.get("/v1/export", w.account).wants(200); strings.Contains(got.text, "UNBORN") {
		t.Error("it is in the export")
	}
}
