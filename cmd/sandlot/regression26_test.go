package main

import (
	"os/user"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// has fails the test unless each expression is found in the text; one that begins
// with "!" must not be.
func has(t *testing.T, text string, expressions ...string) {
	t.Helper()
	for _, e := range expressions {
		e, not := strings.CutPrefix(e, "!")
		if regexp.MustCompile(`(?m)`+e).MatchString(text) == not {
			if not {
				t.Errorf("%s is in\n%s", e, text)
			} else {
				t.Errorf("%s is not in\n%s", e, text)
			}
		}
	}
}

// TestRegression26AnOperatorSeesAll works as an operator does, beside the server.
func TestRegression26AnOperatorSeesAll(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	status, made := call(t, s, "POST", "/v1/publish", "", map[string]any{"content": []byte("<p>one"), "email": "ada@example.com", "handle": "ada", "title": "Marbles"})
	if status != 201 {
		t.Fatalf("publish: %d %v", status, made)
	}
	id, key := made["project_id"].(string), made["api_key"].(string)
	call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "js/main.js", "content": []byte("two")})
	db := otherProcess(t, s)
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := db.ExecContext(t.Context(), query, args...)
		expect.OK(t, err)
	}
	exec("INSERT INTO reports (number, form, project, reason, details, contact, at) VALUES ('R-TEST-0001', x'02', ?, 'malware', 'It is bad', 'kim@example.com', 1)", id)

	has(t, admin(t, s, "show", "@ada"), `^handle +ada$`, `^email +ada@example\.com$`, `^email_verified +false$`, `^projects +1$`)
	exec("UPDATE accounts SET verified = 1, verified_at = 1790000000000000")
	account := admin(t, s, "show", "ada@example.com")
	has(t, account,
		`^verified_at +2026-09-21T14:13:20Z$`,
		`^project_list\nproject_id +handle +title +status .*\n`+id+` +ada +Marbles +active +- +- +- +- +2 +2 +9 +0 `,
		`^keys\nkind +project_id +name +last_four .*\n`, `^account +- +.* `+key[len(key)-4:]+" ", `^project +`+id+" ",
		`^reports\ncase +project_id +reason +.*\nR-TEST-0001 +`+id+` +malware .* -$`, "!It is bad", "!sl[ap]_", "!^log$")
	has(t, admin(t, s, "list", "accounts"), `^ada +ada@example\.com +true +2026-09-21T14:13:20Z +- +- +active +- +1 +9 `)
	has(t, admin(t, s, "show", id),
		`^project_id +`+id+`$`, `^handle +ada$`, `^versions\nversion +title +created_at +erased\n2 +Marbles .*\n1 +Marbles `,
		`^files\nfilename +size +sha256\nindex\.html +6 +[0-9a-f]{64}\njs/main\.js +3 `, `^reports\n`)
	has(t, admin(t, s, "show", id, "--limit", "1"), "!js/main")

	// Who acted is in the log, also without a name.
	me, err := user.Current()
	expect.OK(t, err)
	admin(t, s, "suspend", id, "--reason", "a report", "--as", "Grace Hopper")
	admin(t, s, "reinstate", id)
	admin(t, s, "close-report", "R-TEST-0001", "--as", "grace", "--reason", "was a game")
	log := admin(t, s, "log")
	has(t, log, `^id +at +actor +name +action +target +reason$`, ` operator +Grace Hopper +suspend +`+id+` +a report$`,
		` operator +`+regexp.QuoteMeta(me.Username)+` +reinstate +`+id+` +-$`, ` operator +grace +close-report +R-TEST-0001 +was a game$`)
	has(t, admin(t, s, "log", "--target", "R-TEST-0001"), "close-report", "!reinstate")
	has(t, admin(t, s, "log", "--limit", "1"), "close-report", "!reinstate")
	has(t, admin(t, s, "reports", "--open"), "!R-TEST")
	has(t, admin(t, s, "show", id), `^log\nid .*\n.* reinstate .*\n.* suspend `)

	// The deleted rows are listed, without their texts.
	has(t, admin(t, s, "delete", "@ada", "--reason", "was asked for", "--as", "grace"), `^@ada is deleted, with 1 project of 9 bytes\.$`)
	for _, name := range []string{"@ada", id, s.URL() + "/p/" + id} {
		has(t, admin(t, s, "show", name), `^target +@ada$`, `^status +deleted$`, `^deleted_at +20`, `^name +grace$`, `^reason +was asked for$`, "!Marbles", "!example\\.com")
	}
	has(t, admin(t, s, "log", "--target", "@ada"), "delete +@ada", "!suspend")
	has(t, admin(t, s, "log", "--target", id), "suspend", "reinstate", "!delete")
	has(t, admin(t, s, "show", id, "--json"), `"status":"deleted"`, `"name":"grace"`)
}

func TestRegression26OneIsSingular(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{amount(0, "project"), "0 projects"},
		{amount(1, "project"), "1 project"},
		{amount(int64(1_000_000_001), "byte"), "1000000001 bytes"},
		{damage(1), "1 item is damaged or missing"},
		{damage(2), "2 items are damaged or missing"},
	} {
		if c.got != c.want {
			t.Errorf("%q and not %q", c.got, c.want)
		}
	}
}
