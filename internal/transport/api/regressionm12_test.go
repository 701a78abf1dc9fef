package api

import (
	"maps"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

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
