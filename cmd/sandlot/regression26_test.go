package main

import (
	"io"
	"os/user"
	"regexp"
	"strings"
	"testing"
	"time"

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

	has(t, admin(t, s, "show", "@ada"), `^account +@ada$`, `^email +ada@example\.com \(pending, not verified\)$`, `^projects +1$`)
	exec("UPDATE accounts SET verified = 1, verified_at = 1790000000000000")
	exec("INSERT INTO email_moves (account, email, undo, expires_at) SELECT id, 'ada@example.org', 0, ? FROM accounts", time.Now().Add(time.Hour).UnixMicro())
	account := admin(t, s, "show", "ada@example.com")
	has(t, account,
		`^email +ada@example\.com \(verified since 2026-09-21T14:13:20Z\)$`, `^new email +ada@example\.org \(pending until .*\)$`,
		`^Projects\nID +STATUS +VERSION +FILES +BYTES +PLAYS +UPDATED +TITLE\n`+id+` +active +2 +2 +9 +0 .* Marbles$`,
		`^Keys\nKIND +PROJECT +ENDS IN +CREATED +LAST USED +NAME\n`, `^account +- +\.\.\.`+key[len(key)-4:], `^project +`+id+` +\.\.\.`,
		`^Reports\nCASE +PROJECT +REASON +TIME +STATUS\nR-TEST-0001 +`+id+` +malware .* open$`, "!It is bad", "!sl[ap]_", "!^Log$")
	has(t, admin(t, s, "list", "accounts"), `^@ada +active +ada@example\.com +verified +1 project +9 bytes `)
	has(t, admin(t, s, "show", id),
		`^project +`+id+`$`, `^account +@ada$`, `^opens with +index\.html$`, `^Versions\nN +CREATED +FILES +TITLE\n2 .* \+1 ~0 -0 +Marbles\n1 `,
		`^Files\nBYTES +SHA-256 +TYPE +NAME\n6 +[0-9a-f]{12} +text/html.* "index\.html"\n3 .* "js/main\.js"$`, `^Keys\n`, `^Reports\n`)
	has(t, admin(t, s, "show", id, "--limit", "1"), "!js/main")

	// Who acted is in the log, also without a name.
	me, err := user.Current()
	expect.OK(t, err)
	admin(t, s, "suspend", id, "--reason", "a report", "--as", "Grace Hopper")
	admin(t, s, "reinstate", id)
	admin(t, s, "close-report", "R-TEST-0001", "--as", "grace", "--reason", "was a game")
	log := admin(t, s, "log")
	has(t, log, `^ID +TIME +WHO +ACTION +TARGET +REASON$`, `Grace Hopper \(operator\) +suspend +`+id+` +"a report"$`,
		regexp.QuoteMeta(me.Username)+` \(operator\) +reinstate +`+id+` +""$`, `grace \(operator\) +close-report +R-TEST-0001 +"was a game"$`)
	has(t, admin(t, s, "log", "--actor", "grace"), "close-report", "!suspend", "!reinstate")
	has(t, admin(t, s, "log", "--action", "reinstate"), "reinstate", "!suspend")
	has(t, admin(t, s, "log", "--target", "R-TEST-0001"), "close-report", "!reinstate")
	has(t, admin(t, s, "log", "--since", "1h", "--limit", "1"), "close-report", "!reinstate")
	has(t, admin(t, s, "log", "--until", "2001-01-01"), "!operator")
	has(t, admin(t, s, "reports", "--open"), "!R-TEST")
	has(t, admin(t, s, "show", id), `^Log\nID .*\n.* reinstate .*\n.* suspend `)

	// What was deleted is told, without its texts.
	has(t, admin(t, s, "delete", "@ada", "--reason", "was asked for", "--as", "grace"), `^@ada is deleted, with 1 project of 9 bytes\.$`)
	for _, name := range []string{"ada", "@ada", id, s.URL() + "/p/" + id} {
		has(t, admin(t, s, "show", name), `^account +@ada$`, `^status +deleted$`, `^deleted +20`, `^by +grace \(operator\)$`, `^reason +was asked for$`, "!Marbles", "!example\\.com")
	}
	has(t, admin(t, s, "log", "--target", "ada"), "delete +@ada", "!suspend")
	has(t, admin(t, s, "log", "--target", id), "suspend", "reinstate", "!delete")
	has(t, admin(t, s, "show", id, "--json"), `"status":"deleted"`, `"name":"grace"`)
}

func TestRegression26TimesOfTheLog(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-11-21": "2026-11-21T00:00:00Z", "2026-11-21T10:00": "2026-11-21T10:00:00Z", "2026-11-21T10:00:00+02:00": "2026-11-21T08:00:00Z",
		"90m": "2026-11-22T10:30:00Z", "24h": "2026-11-21T12:00:00Z", "7d": "2026-11-15T12:00:00Z",
	} {
		if got, err := parseMoment(text, now); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%s is %v and not %s: %v", text, got, want, err)
		}
	}
	for _, text := range []string{"yesterday", "-1h", "-3d", "7", "2026-13-01", "d"} {
		if got, err := parseMoment(text, now); err == nil {
			t.Errorf("%s is %v", text, got)
		}
	}
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

// TestRegression26AFilterThatCanFindNothingIsRefused: an empty list would look as if nothing had happened.
func TestRegression26AFilterThatCanFindNothingIsRefused(t *testing.T) {
	for says, args := range map[string][]string{
		`--action "supend" is none that the log tells of: suspend, reinstate, delete, take-back, new-key, import, close-report, allow-mail`: {"--action=supend"},
		`--since is not before --until, so there is nothing between them`:                                                                   {"--since=2027-01-01", "--until=2026-01-01"},
	} {
		err := run(t.Context(), append([]string{"admin", "log", "--data=" + t.TempDir()}, args...), nil, io.Discard, io.Discard)
		if err == nil || exitCode(err) != 2 || err.Error() != says {
			t.Errorf("%v is %v", args, err)
		}
	}
}
