package api

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"sandlot"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
)

// opens has the play-tester open what is due, and record what was seen.
func (w *world) opens(seen string) {
	w.t.Helper()
	due, err := w.DB.Trials().ClaimTrial(w.t.Context(), 2, 50, time.Minute)
	expect.OK(w.t, err)
	expect.OK(w.t, w.DB.Trials().EndTrial(w.t.Context(), due, trial.Done, []byte(seen)))
}

// warned returns the warnings of one code.
func (a answer) warnings(code string) (messages, hints []string) {
	list, _ := a.body["warnings"].([]any)
	for _, w := range list {
		if w := w.(obj); w["code"] == code {
			messages, hints = append(messages, w["message"].(string)), append(hints, w["hint"].(string))
		}
	}
	return messages, hints
}

func TestRegressionM09FindingsOfThePlayTesterReachTheOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.post("/v1/publish", "", obj{"email": someone, "text": "<!doctype html><title>A</title><p>1"}).wants(201)
	w.account, w.project, w.projectID = made.str("api_key"), made.str("project_api_key"), made.str("project_id")
	at := "/v1/project/" + w.projectID
	expect.Same(t, "the checks of a publish", made.body["checks"], any(obj{
		"state": "waiting", "url": "http://localhost:8080" + at + "/checks",
		"message": "The play-tester opens this version when those before it are done, each in some 15 seconds. GET http://localhost:8080" + at + "/checks?wait=20 waits for it, and counts them (ahead). " +
			"POST http://localhost:8080" + at + "/checks opens it at once, and plays your inputs.",
	}))
	expect.Same(t, "its place in the queue", w.get(at+"/checks", w.project).wants(200).body["ahead"], any(0.0))
	other := w.post("/v1/publish", "", obj{"email": someone, "text": "<!doctype html><title>B</title><p>2"}).wants(201)
	expect.Same(t, "the place of another", w.get("/v1/project/"+other.str("project_id")+"/checks", other.str("api_key")).wants(200).body["ahead"], any(1.0))

	w.opens(`{"errors":["ReferenceError: levels is not defined"],"first_paint":1000000}`)
	for name, got := range map[string]answer{ // made in this order
		"the project": w.get(at, w.project).wants(200), "the account": w.get("/v1/whoami", w.account).wants(200), "the project's key": w.get("/v1/whoami", w.project).wants(200),
		"the next update": w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "index.html", "text": "<!doctype html><title>A</title><p>2"}).wants(200),
	} {
		messages, hints := got.warnings("script_error")
		if len(messages) != 1 || !strings.Contains(messages[0], "version 1 of "+w.projectID) || !strings.Contains(messages[0], "levels is not defined") || !strings.Contains(hints[0], "/v1/update") {
			t.Errorf("%s warns %q, with the hint %q", name, messages, hints)
		}
	}
	messages, _ := w.get(at, "").wants(200).warnings("script_error")
	expect.Equal(t, "warnings for strangers", len(messages), 0)
	messages, _ = w.get(at, w.project).wants(200).warnings("script_error")
	expect.Equal(t, "warnings about a version that is not current any more", len(messages), 0)
}

func TestRegressionM09ChecksWaitForTheTrial(t *testing.T) {
	t.Parallel()
	w := settled(t)
	at := "/v1/project/" + w.projectID + "/checks"
	ended := make(chan answer, 1)
	go func() { ended <- w.get(at+"?wait=20", w.project) }()
	w.opens(`{"moved":true}`)
	expect.Equal(t, "the state in the end", (<-ended).wants(200).str("state"), "done")
	expect.Equal(t, "the state without anything to wait for", w.get(at+"?wait=20", w.project).wants(200).str("state"), "done")
	refused := w.get(at+"?wait=soon", w.project).refused(400, sandlot.CodeInvalidField)
	expect.Equal(t, "the hint", strings.Contains(refused.str("hint"), "wait=25"), true)
}

// TestRegressionM10AHintKeepsWhatGuards: the call of a hint has the field whose value was refused, or changes nothing.
func TestRegressionM10AHintKeepsWhatGuards(t *testing.T) {
	t.Parallel()
	w := settled(t)
	update := obj{"project_id": w.projectID, "filename": "a.txt", "text": "A"}
	calls := map[string]obj{
		"POST /v1/publish": {"title": "Mine", "text": page}, "POST /v1/update": update,
		"POST /v1/restore": {"project_id": w.projectID, "version": 1}, "POST /v1/delete-file": {"project_id": w.projectID, "filename": "logo.svg"},
		"PATCH /v1/project/" + w.projectID: {"title": "Other"}, "DELETE /v1/project/" + w.projectID: {"confirm": w.projectID}, "POST /v1/signup": {"handle": "ada"},
	}
	for call, body := range calls {
		method, path, _ := strings.Cut(call, " ")
		for name, value := range map[string]any{"dry_run": "yes", "dryRun": true, "validate_only": true, "preview": true, "test": true} {
			t.Run(call+" "+name, func(t *testing.T) {
				w.in(t)
				with := maps.Clone(body)
				with[name] = value
				w.unchanged(func() {
					hint := w.send(method, path, w.account, with).refused(400, sandlot.CodeInvalidField).str("hint")
					lines := shellLines(t, hint)
					last := lines[len(lines)-1]
					changes := strings.ContainsAny(strings.NewReplacer("'Authorization: Bearer <api_key>'", "", "-H", "").Replace(last), "{}'") || strings.Contains(last, "-X ")
					if changes && !saysField(last, "dry_run=true") {
						t.Errorf("pasted, it is done: %s", hint)
					}
				})
			})
		}
	}
	for name, value := range map[string]any{"if_version": "latest", "replace": "yes", "sha256": "abc", "size": "large"} {
		t.Run(name, func(t *testing.T) {
			w.in(t)
			with := maps.Clone(update)
			with[name] = value
			w.unchanged(func() {
				hint := w.post("/v1/update", w.account, with).refused(400, sandlot.CodeInvalidField).str("hint")
				if strings.Contains(hint, "/v1/update") && !leftOpen(hint, name) {
					t.Errorf("the hint drops %s: %s", name, hint)
				}
				with["dry_run"], with["content"] = "yes", "!"
				delete(with, "text")
				hint = w.post("/v1/update", w.account, with).str("hint")
				if strings.Contains(hint, "/v1/update") && !(saysField(hint, "dry_run=true") && leftOpen(hint, name)) {
					t.Errorf("for another fault the hint drops them: %s", hint)
				}
			})
		})
	}
	t.Run("a digest that does not match", func(t *testing.T) {
		w.in(t)
		with := maps.Clone(update)
		with["sha256"] = strings.Repeat("0", 64)
		if hint := w.post("/v1/update", w.account, with).refused(422, sandlot.CodeDigestMismatch).str("hint"); !saysField(hint, "sha256=<sha256 of the file>") {
			t.Errorf("the hint drops it: %s", hint)
		}
	})
}

// leftOpen reports whether a hint has a field with a placeholder for its value.
func leftOpen(hint, name string) bool {
	return strings.Contains(hint, name+"=<") || strings.Contains(hint, `"`+name+`":"<`)
}

// TestRegressionM12WhatIsSaidOfAProjectIsTakenWithItsFiles: by publish, update and a ticket, in JSON and in a form, as by PATCH.
func TestRegressionM12WhatIsSaidOfAProjectIsTakenWithItsFiles(t *testing.T) {
	t.Parallel()
	w := settled(t)
	said := obj{"listed": false, "threads": true, "description": "Hop to the sky.", "tags": []string{"cats"}}
	is := func(name, id string, listed, threads bool, description string) {
		t.Helper()
		got := w.get("/v1/project/"+id+"?content=none", w.account).wants(200)
		expect.Equal(t, name+": listed", got.body["listed"] == listed, true)
		expect.Equal(t, name+": threads", got.body["threads"] == threads, true)
		expect.Equal(t, name+": description", got.str("description"), description)
	}
	with := func(more obj) obj { all := maps.Clone(said); maps.Copy(all, more); return all }
	id := w.post("/v1/publish", w.account, with(obj{"text": page})).wants(201).str("project_id")
	is("publish", id, false, true, "Hop to the sky.")
	many := w.post("/v1/publish", "", with(obj{"email": someone, "files": []obj{{"filename": "index.html", "text": page}, {"filename": "a.js", "text": "let a"}}})).wants(201)
	expect.Equal(t, "publish of many files", w.get("/v1/project/"+many.str("project_id"), many.str("api_key")).wants(200).body["listed"] == false, true)
	version := w.post("/v1/update", w.account, obj{"project_id": id, "filename": "a.txt", "text": "A", "listed": true, "description": ""}).wants(200)
	expect.Equal(t, "versions", version.body["version"] == 2.0, true)
	is("update", id, true, true, "")
	w.post("/v1/update", w.account, with(obj{"project_id": id, "files": []obj{{"filename": "b.js", "text": "let b"}}})).wants(200)
	is("update of many files", id, false, true, "Hop to the sky.")
	at := w.ticket(w.account, obj{"project_id": id, "filename": "c.txt", "listed": true})
	w.bytes(at, "C").wants(200)
	is("a ticket", id, true, true, "Hop to the sky.")
	w.unchanged(func() {
		w.post("/v1/update", w.account, obj{"project_id": id, "filename": "a.txt", "text": "B", "listed": false, "dry_run": true}).wants(200)
		w.post("/v1/publish", w.account, obj{"text": page, "tags": []string{"!"}}).refused(400, sandlot.CodeInvalidField)
		w.post("/v1/publish", w.account, obj{"text": page, "listed": "no"}).refused(400, sandlot.CodeInvalidField)
	})
}

// TestRegressionM12NothingIsPublishedThatWasToBeHidden: fields that ask for less exposure than there is are refused with what there is.
func TestRegressionM12NothingIsPublishedThatWasToBeHidden(t *testing.T) {
	t.Parallel()
	w := settled(t)
	w.unchanged(func() {
		for name, value := range map[string]any{
			"private": true, "is_private": "yes", "unlisted": true, "hidden": 1, "public": false, "visibility": "unlisted", "password": "x", "passwordHash": "x", "expires": "1d", "expires_in": 3600, "expiresAt": "2027", "ttl": 60,
		} {
			for path, body := range map[string]obj{"/v1/publish": {"text": page}, "/v1/update": {"project_id": w.projectID, "filename": "a.txt", "text": "A"}, "/v1/uploads": {"project_id": w.projectID, "filename": "a.txt"}} {
				body[name] = value
				got := w.post(path, w.account, body).refused(400, sandlot.CodeInvalidField)
				expect.Equal(t, path+" names "+name, got.str("field"), name)
			}
		}
	})
	hint := w.post("/v1/publish", w.account, obj{"text": page, "private": true}).str("hint")
	expect.Contains(t, "the hint", hint, "listed=false")
	for name, value := range map[string]any{"private": false, "public": true, "visibility": "public", "expires": nil, "password": nil} {
		w.post("/v1/publish", w.account, obj{"text": page, name: value}).wants(201)
	}
}

// TestRegressionM13SecretsDoNotGoOnline: files that by their names hold secrets are left out of archives and files, or refused alone until they are
// forced; keys of other services are reported and not repeated.
func TestRegressionM13SecretsDoNotGoOnline(t *testing.T) {
	t.Parallel()
	w := settled(t)
	secrets := []string{".env", ".npmrc", ".netrc", ".aws/credentials", ".ssh/config", "id_ed25519", "server.pem", ".sandlot.json"}
	var listed []any
	packed := []string{"index.html", page}
	for _, name := range secrets {
		listed = append(listed, obj{"filename": "site/" + name, "text": "x"})
		packed = append(packed, name, "x")
	}
	key := "sk-ant-" + "api03-" + strings.Repeat("x", 30)
	listed = append(listed, obj{"filename": "site/index.html", "text": page}, obj{"filename": "site/a.js", "text": "let a\nlet key = '" + key + "'"})
	got := w.post("/v1/publish", w.account, obj{"files": listed}).wants(201)
	if n := len(got.body["files"].([]any)); n != 2 || !got.warned("left_out") || !got.warned("secret") || !strings.Contains(got.text, "a.js, line 2") || strings.Contains(got.text, key) {
		t.Errorf("%d files: %s", n, got.text)
	}
	got = w.post("/v1/publish", w.account, zipped(t, packed...), with("Content-Type", "application/zip"), lax).wants(201)
	if n := len(got.body["files"].([]any)); n != 1 || !got.warned("left_out") {
		t.Errorf("%d files: %s", n, got.text)
	}
	for _, name := range secrets {
		told := obj{"project_id": w.projectID, "filename": name, "text": "A=1"}
		w.unchanged(func() {
			no := w.post("/v1/update", w.account, told).refused(400, sandlot.CodeInvalidFilename)
			if !saysField(no.str("hint"), "force=true") {
				t.Errorf("%s", no.text)
			}
			w.post("/v1/uploads", w.account, obj{"project_id": w.projectID, "filename": name}).refused(400, sandlot.CodeInvalidFilename)
		})
	}
	w.post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": ".env", "text": "A=1", "force": true}).wants(200)
	w.bytes(w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.pem", "force": true}), "x").wants(200)
}

// TestRegressionM13AHintLeavesOutWhatItComplainedOf: the same archive would be refused again.
func TestRegressionM13AHintLeavesOutWhatItComplainedOf(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var b bytes.Buffer
	a := tar.NewWriter(&b)
	for _, h := range []*tar.Header{{Name: "index.html", Mode: 0o644}, {Name: "a b/li*nk", Typeflag: tar.TypeSymlink, Linkname: "x"}} {
		if err := a.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ body, kind, want string }{
		{b.String(), "application/x-tar", `--exclude='a b/li\*nk'`},
		{zipped(t, "index.html", page, "a|b.js", "x"), "application/zip", `--exclude='a|b.js'`},
		{zipped(t, "index.html", page, "js/a.js", w.account), "application/zip", "--exclude=js/a.js"},
	} {
		got := w.send("POST", "/v1/publish", w.account, c.body, with("Content-Type", c.kind), lax)
		if codes := []int{400, 422}; !slices.Contains(codes, got.status) || !strings.Contains(got.str("hint"), fmt.Sprintf("tar -cz %s -C", c.want)) {
			t.Errorf("%s", got.text)
		}
	}
}

func TestRegressionM14FilesAreReadInEachFormThatHasOneReading(t *testing.T) {
	t.Parallel()
	w := settled(t)
	const page = "<!doctype html><title>A</title><script src=a.js></script>"
	for name, c := range map[string]struct {
		files any
		read  string
	}{
		"a map of names":      {obj{"index.html": page, "a.js": "let a = 1"}, "a list of objects with filename and text"},
		"path":                {[]obj{{"path": "index.html", "text": page}, {"path": "a.js", "text": "let a = 1"}}, "files[].filename"},
		"name":                {[]obj{{"name": "index.html", "text": page}, {"name": "a.js", "text": "let a = 1"}}, "files[].filename"},
		"text in content":     {[]obj{{"filename": "index.html", "content": page}, {"filename": "a.js", "content": "let a = f(1)"}}, "files[].text"},
		"a map with contents": {obj{"index.html": obj{"text": page}, "a.js": obj{"content": b64("let a = 1")}}, "a list of objects with filename and text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := w.post("/v1/publish", w.account, obj{"files": c.files}, lax).wants(201)
			expect.Equal(t, "files", made.filesNamed(), 2)
			messages, _ := made.warnings("read_as")
			if len(messages) != 1 || !strings.Contains(messages[0], c.read) {
				t.Errorf("it warns %q", messages)
			}
			if strange, _ := made.warnings("unknown_field"); len(strange) > 0 {
				t.Errorf("it warns %q", strange)
			}
		})
	}
	for name, body := range map[string]obj{
		"both path and name": {"files": []obj{{"path": "js", "name": "a.js", "text": "let a"}}},
		"html_content":       {"html_content": page},
		"code":               {"code": page},
	} {
		got := w.post("/v1/publish", w.account, body, lax)
		expect.Equal(t, "the status of "+name, got.status, 400)
	}
	got := w.post("/v1/publish", w.account, obj{"html_content": page}, lax)
	expect.Contains(t, "the message about html_content", got.str("message"), "text was probably meant")
}

func TestRegressionM14HintsOfJSONAreJSON(t *testing.T) {
	t.Parallel()
	w := settled(t)
	hint := func(body obj, status int, code sandlot.Code) string {
		t.Helper()
		return w.post("/v1/update", w.project, body, lax).refused(status, code).str("hint")
	}
	one := hint(obj{"project_id": w.projectID, "filename": "a.css", "text": "b {}", "if_version": 9}, 412, sandlot.CodeVersionConflict)
	expect.Contains(t, "the hint about one file", one, "\nContent-Type: application/json\n{\"project_id\":\""+w.projectID+`","filename":"a.css","if_version":2,"text":"<text of a.css>"}`)
	files := []obj{{"filename": "a.css", "text": "a {}"}, {"filename": "js/b.js", "text": "let b"}, {"filename": "c.js"}}
	many := hint(obj{"project_id": w.projectID, "files": files}, 400, sandlot.CodeMissingField)
	expect.Contains(t, "the hint about three files", many, `"files":[{"filename":"a.css","text":"<text of a.css>"},{"filename":"js/b.js","text":"<text of js/b.js>"},{"filename":"c.js","text":"<text of c.js>"}]}`)
	raw := hint(obj{"project_id": w.projectID, "filename": "a.css", "content": "b {}"}, 400, sandlot.CodeInvalidContent)
	expect.Contains(t, "the hint about text in content", raw, `"text":"<text of a.css>"`)
	binary := hint(obj{"project_id": w.projectID, "filename": "a.png", "content": "b {}"}, 400, sandlot.CodeInvalidContent)
	expect.Contains(t, "the hint about a picture", binary, "-F content=@a.png")

	w.unchanged(func() {
		w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "a.css", "text": "<text of a.css>"}).refused(400, sandlot.CodeInvalidField)
		w.post("/v1/update", w.project, obj{"project_id": w.projectID, "files": []obj{{"filename": "a.css", "text": "<text of a.css>"}}}).refused(400, sandlot.CodeInvalidField)
	})
}

// TestRegressionM16LostKeysLeadToTheAccount: a caller without a key that fits is led to the page where the user makes one, and not to another publish.
func TestRegressionM16LostKeysLeadToTheAccount(t *testing.T) {
	t.Parallel()
	w := settled(t)
	other := w.post("/v1/publish", "", obj{"email": "other@example.org", "content": page64}).wants(201)
	change := obj{"project_id": w.projectID, "filename": "a.txt", "text": "A"}
	led := func(name string, got answer) {
		t.Helper()
		hint := got.str("hint")
		if !strings.HasPrefix(hint, lostKeys+"\n") || strings.Contains(hint, "/v1/publish") {
			t.Errorf("%s: %s", name, hint)
		}
	}
	led("no key", w.post("/v1/update", "", change).refused(401, sandlot.CodeKeyRequired))
	led("a key that was cut", w.post("/v1/update", w.project[:20], change).refused(401, sandlot.CodeInvalidKey))
	led("a key that was revoked", w.post("/v1/update", minted(t), change).refused(401, sandlot.CodeInvalidKey))
	led("another's key", w.post("/v1/update", other.str("api_key"), change).refused(403, sandlot.CodeWrongProject))
	led("a scoped key", w.send("DELETE", "/v1/project/"+w.projectID, w.project, obj{"confirm": w.projectID}).refused(403, sandlot.CodeAccountKeyRequired))
	for _, path := range []string{"/v1/login", "/v1/login/", "/login", "/recover", "/keys", "/v1/auth", "/v1/recover", "/v1/recovery", "/v1/keys", "/v1/api-keys", "/v1/auth/login", "/v1/auth/token", "/auth/magic-link", "/v1/account/keys", "/v1/session", "/v1/token", "/v1/reset-password", "/v1/forgot"} {
		for _, method := range []string{"GET", "POST"} {
			led(method+" "+path, w.send(method, path, "", nil).refused(404, sandlot.CodeNotFound))
		}
	}
}

// TestLostKeysHaveAnotherWayBackWhereNobodyLogsInByEMail: there the operator makes the key, and no answer leads to a page without use.
func TestLostKeysHaveAnotherWayBackWhereNobodyLogsInByEMail(t *testing.T) {
	t.Parallel()
	w := settled(t, func(s *settings) { s.cfg.Places.Mailless = true })
	const want = "Keys lost? Do not publish again. This service sends no e-mail: " +
		"its operator makes a key with `sandlot admin new-key HANDLE`.\n"
	for name, got := range map[string]answer{
		"no key":          w.post("/v1/update", "", obj{"project_id": w.projectID}).refused(401, sandlot.CodeKeyRequired),
		"an unknown path": w.post("/v1/keys", "", obj{}).refused(404, sandlot.CodeNotFound),
	} {
		expect.Equal(t, "the way back of "+name, strings.HasPrefix(got.str("hint"), want), true)
	}
}

// lostKeys is the way back that every answer names.
const lostKeys = "Keys lost? Do not publish again. Your user opens http://localhost:8080/account, logs in by e-mail and makes a key for this project."

// minted is a key in the right form that nobody has.
func minted(t *testing.T) string {
	t.Helper()
	key, err := sandlot.MintSecret(sandlot.AccountKey, rand.Reader)
	expect.OK(t, err)
	return key.Reveal()
}

// filesNamed is how many files an answer lists.
func (a answer) filesNamed() int {
	list, _ := a.body["files"].([]any)
	return len(list)
}

func TestRegressionM17AnswersOfChangesNameAtMostAHundredFiles(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var files []obj
	for i := range 150 {
		files = append(files, obj{"filename": fmt.Sprintf("a/%d.js", i), "text": fmt.Sprint("let a = ", i)})
	}
	page := obj{"filename": "index.html", "text": "<!doctype html><title>Many</title>"}
	made := w.post("/v1/publish", w.account, obj{"files": append(files, page)}).wants(201)
	id := made.str("project_id")
	at := "/v1/project/" + id
	is := func(what string, got answer, named, count int) {
		t.Helper()
		expect.Equal(t, "files named by "+what, got.filesNamed(), named)
		expect.Same(t, "files counted by "+what, got.body["file_count"], any(float64(count)))
	}
	is("a publish", made, 100, 151)
	is("an update", w.post("/v1/update", w.account, obj{"project_id": id, "files": []obj{{"filename": "b.js", "text": "let b"}}}).wants(200), 1, 152)
	is("a dry run", w.post("/v1/update", w.account, obj{"project_id": id, "dry_run": true, "files": []obj{{"filename": "c.js", "text": "let c"}}}).wants(200), 1, 153)
	is("a deletion", w.post("/v1/delete-file", w.account, obj{"project_id": id, "filename": "b.js"}).wants(200), 0, 151)
	is("a change of details", w.send("PATCH", at, w.account, obj{"title": "More"}).wants(200), 0, 151)
	is("the project", w.get(at, w.account).wants(200), 151, 151)
	is("the project without files", w.get(at+"?files=none", w.account).wants(200), 0, 151)
	names := w.get(at+"?files=names", w.account).wants(200)
	is("the project with names", names, 151, 151)
	expect.Same(t, "one of the names", names.body["files"].([]any)[0], any(obj{"filename": "a/0.js"}))
	w.get(at+"?files=few", w.account).refused(400, sandlot.CodeInvalidField)
}

// TestRegressionM18ATicketsAddressLeadsToItsTicket: neither a POST nor a key gets a ticket for another project.
func TestRegressionM18ATicketsAddressLeadsToItsTicket(t *testing.T) {
	t.Parallel()
	w := settled(t)
	at := w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.js"})
	path := "/v1/uploads/" + at.str("upload_id")
	want := "\ncurl -T '<file>' -H 'Authorization: Bearer <ticket>' " + at.str("url")
	w.unchanged(func() {
		for _, got := range []answer{
			w.send("POST", path, at.str("ticket"), "x", lax), w.send("POST", path, w.account, "x", lax), w.send("POST", path, "", "x", lax),
			w.send("PUT", path, w.account, "x", lax), w.send("PUT", path, w.project, "x", lax), w.send("PUT", path, "", "x", lax),
		} {
			if got.status < 400 || got.status > 405 || !strings.HasSuffix(got.str("hint"), want) || strings.Count(got.str("hint"), "curl") != 1 {
				t.Errorf("%s", got.text)
			}
		}
		gone := w.send("PUT", path, "slt_"+strings.Repeat("a", 36), "x", lax)
		if !strings.HasSuffix(gone.str("hint"), "}'") || !strings.Contains(gone.str("hint"), "/v1/uploads ") {
			t.Errorf("a ticket that is none: %s", gone.text)
		}
	})
	w.bytes(at, "x").wants(200)
}

func TestRegressionM19JSONUnderTheTypesOfCurlAndFetchIsJSON(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for _, kind := range []string{"application/x-www-form-urlencoded", "text/plain;charset=UTF-8"} {
		body := ` {"project_id":"` + w.projectID + `","filename":"a.js","text":"let a = '` + kind + `'"}`
		got := w.post("/v1/update", w.project, body, with("Content-Type", kind), lax).wants(200)
		messages, _ := got.warnings("read_as")
		expect.Equal(t, "warnings of "+kind, len(messages), 1)
		w.post("/v1/update", w.project, "project_id="+w.projectID, with("Content-Type", kind), lax).refused(415, sandlot.CodeUnsupportedMediaType)
	}
}

func TestRegressionM19NamesOfTheSendersMachineAreRefused(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for _, name := range []string{"/app/a.js", "/workspace/a.js", "/mnt/data/a.js", "~/a.js", "https://example.org/a.js", "a.js?v=2"} {
		got := w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": name, "text": "let a"}).refused(400, sandlot.CodeInvalidFilename)
		expect.Contains(t, "the hint of "+name, got.str("hint"), "a.js")
	}
}

func TestRegressionM19HintsAnswerWhatWasMeant(t *testing.T) {
	t.Parallel()
	w := settled(t)
	id := w.projectID
	hint := func(method, path, key string, body any, status int, code sandlot.Code) string {
		t.Helper()
		return w.send(method, path, key, body, lax).refused(status, code).str("hint")
	}
	for name, body := range map[string]obj{"filenames": {"project_id": id, "filenames": []string{"a.js", "b.js"}}, "a list": {"project_id": id, "filename": []string{"a.js", "b.js"}}} {
		said := hint("POST", "/v1/delete-file", w.project, body, 400, sandlot.CodeInvalidField)
		expect.Equal(t, "calls for "+name, strings.Count(said, "POST http"), 1)
		expect.Contains(t, "the calls for "+name, said, `"delete":["a.js","b.js"]`)
	}
	expect.Contains(t, "the hint of a title alone", hint("POST", "/v1/update", w.project, obj{"project_id": id, "title": "New"}, 400, sandlot.CodeMissingField), `PATCH http://localhost:8080/v1/project/`+id)
	for _, path := range []string{"/v1/export?project_id=" + id, "/v1/export?project=" + id, "/v1/whoami?id=" + id} {
		expect.Contains(t, "the hint of "+path, hint("GET", path, w.account, nil, 400, sandlot.CodeInvalidField), "project_api_key")
	}

	got := w.post("/v1/update", w.project, obj{"project_id": id, "filename": "c.js", "text": "let c", "alpha": 1, "beta": 2, "gamma": 3, "titel": "T"}, lax).wants(200)
	_, hints := got.warnings("unknown_field")
	expect.Equal(t, "warnings of unknown fields", len(hints), 2)
	expect.Equal(t, "lists of all fields", strings.Count(strings.Join(hints, " "), "The fields are"), 1)
}

func TestRegressionM19PartsWithTheNameOfAFileAreFiles(t *testing.T) {
	t.Parallel()
	w := settled(t)
	form := strings.ReplaceAll("--B\nContent-Disposition: form-data; name=page; filename=index.html\n\n<!doctype html><title>F</title>\n"+
		"--B\nContent-Disposition: form-data; name=script; filename=\"js/a.js\"\n\nlet a = 1\n--B\nContent-Disposition: form-data; name=title; filename=t.txt\n\nForm\n--B--\n", "\n", "\r\n")
	got := w.post("/v1/publish", w.account, form, with("Content-Type", "multipart/form-data; boundary=B"), lax).wants(http.StatusCreated)
	expect.Equal(t, "files", got.filesNamed(), 2)
	expect.Equal(t, "the title", got.str("title"), "Form")
}

// TestRegressionM54WhatIsInAnotherAlphabetIsCalledSo: names of a ZIP are read as CP437, with a warning; a body in UTF-16 is refused by that word.
func TestRegressionM54WhatIsInAnotherAlphabetIsCalledSo(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var b bytes.Buffer
	a := zip.NewWriter(&b)
	for _, name := range []string{"index.html", "b\x84r.txt"} {
		f, err := a.CreateHeader(&zip.FileHeader{Name: name, NonUTF8: true})
		if err == nil {
			_, err = f.Write([]byte(page))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	got := w.post("/v1/publish", w.account, b.String(), with("Content-Type", "application/zip"), lax).wants(201)
	if !strings.Contains(got.text, `"filename":"bär.txt"`) || !got.warned("read_as") || !strings.Contains(got.text, "read as CP437") {
		t.Errorf("%s", got.text)
	}
	body := `{"text":"<!doctype html><p>x"}`
	for order, mark := range map[binary.AppendByteOrder]bool{binary.LittleEndian: true, binary.BigEndian: false} {
		var wide []byte
		if mark {
			wide = order.AppendUint16(wide, 0xfeff)
		}
		for _, c := range utf16.Encode([]rune(body)) {
			wide = order.AppendUint16(wide, c)
		}
		got := w.post("/v1/publish", w.account, string(wide), with("Content-Type", "application/json")).refused(400, sandlot.CodeInvalidJSON)
		if !strings.Contains(got.str("message"), "UTF-16") || !strings.Contains(got.str("hint"), "UTF-8") {
			t.Errorf("%s", got.text)
		}
	}
}

// TestRegressionM54TheHintOfAPercentEncodedURLEnds: what is left behind its comma is no base64, either.
func TestRegressionM54TheHintOfAPercentEncodedURLEnds(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for _, content := range []string{"data:text/html,%3Ch1%3EHi%3C%2Fh1%3E", "data:,Hi", "%3Ch1%3EHi%3C%2Fh1%3E"} {
		got := w.post("/v1/publish", w.account, obj{"content": content}).refused(400, sandlot.CodeInvalidContent)
		if hint := got.str("hint"); strings.Contains(hint, "base64 text alone") || !strings.Contains(hint, "the field text") {
			t.Errorf("%s: %s", content, got.text)
		}
	}
}
