package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// object is an object in JSON.
type object = map[string]any

const (
	page   = "<!doctype html><title>Sky Hopper</title><h1>Hop</h1><script src=js/game.js></script>"
	script = "let gravity = 0.5\nlet lives = 3\n"
)

// TestEachOfficialClientHoldsAConversation without an account, which goes on after each refused tool, and with a key in the header.
func TestEachOfficialClientHoldsAConversation(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	service := testenv.Start(t, testenv.Binary(t))
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			a := k.start(t, service.URL()+"/mcp")
			expect.Equal(t, "the negotiated version", a.connect(t, ""), k.version)
			listing(t, a)
			anonymous(t, a)
			tooLarge(t, a)
			withKey(t, a, accountKey(t, service.URL()))
		})
	}
}

// accountKey returns the key of a new account.
func accountKey(t *testing.T, base string) string {
	t.Helper()
	answered := send(t, http.DefaultClient, "POST", base+"/v1/signup", "{}", "Content-Type", "application/json")
	expect.Equal(t, "status of signup", answered.status, http.StatusCreated)
	var got struct {
		Key string `json:"api_key"`
	}
	expect.OK(t, json.Unmarshal([]byte(answered.text), &got))
	return got.Key
}

// listing holds the list of tools to its names and to the keywords of schemas that every client takes.
func listing(t *testing.T, a agent) {
	t.Helper()
	var names []string
	for _, one := range a.tools(t) {
		names = append(names, one.Name)
		keywords(t, one.Name, one.InputSchema)
	}
	slices.Sort(names)
	want := "check get_project list_projects publish restore stats update upload versions"
	expect.Equal(t, "the tools", strings.Join(names, " "), want)
	expect.Contains(t, "the guide", a.read(t, "sandlot://guide"), "publish")
	expect.Contains(t, "the reference", a.read(t, "sandlot://reference"), "key_in_content")
}

// keywords reports the members of a schema that some client drops or refuses.
func keywords(t *testing.T, where string, schema object) {
	t.Helper()
	for name, value := range schema {
		switch name {
		case "type", "description", "required", "enum":
		case "items":
			keywords(t, where+"[]", value.(object))
		case "properties":
			for property, inner := range value.(object) {
				keywords(t, where+"."+property, inner.(object))
			}
		default:
			t.Errorf("the schema of %s has %s", where, name)
		}
	}
}

// anonymous is the life of a project for an agent without an account.
func anonymous(t *testing.T, a agent) {
	t.Helper()
	refused(t, a, "list_projects", object{}, "key_required", "Your user connects once: ")
	made := done(t, a, "publish", object{"title": "Sky Hopper", "files": []object{
		{"filename": "index.html", "text": page}, {"filename": "js/game.js", "text": script},
	}})
	project, token := text(made, "project"), text(made, "edit_token")
	if project == "" || !strings.HasPrefix(token, "sle_") || !strings.Contains(text(made, "connect_url"), "/connect#slc_") {
		t.Fatalf("publish answers %v", made)
	}
	for _, secret := range []string{"api_key", "project_api_key"} {
		expect.Equal(t, secret+" in the answer of publish", text(made, secret), "")
	}
	mine := func(more object) object {
		more["project"], more["edit_token"] = project, token
		return more
	}
	refused(t, a, "update", object{"project": project, "title": "Mine"}, "key_required", "edit_token")
	edit := func(old, to string) object {
		return mine(object{"edits": []object{{"filename": "js/game.js", "old": old, "new": to}}})
	}
	expect.Equal(t, "the version after edits", number(done(t, a, "update", edit("gravity = 0.5", "gravity = 0.2")), "version"), 2)
	refused(t, a, "update", edit("gravity = 0.5", "gravity = 1"), "edit_not_found", "")
	refused(t, a, "update", edit("let", "const"), "edit_ambiguous", "")
	moved := done(t, a, "update", mine(object{"delete": []string{"js/game.js"}, "files": []object{{"filename": "game.js", "text": script}}}))
	expect.Equal(t, "the version after a rename", number(moved, "version"), 3)

	got := done(t, a, "get_project", mine(object{}))
	files, err := json.Marshal(got["files"])
	expect.OK(t, err)
	expect.Contains(t, "the files", string(files), `"game.js"`)
	expect.Equal(t, "that the renamed file is there", strings.Contains(string(files), `js/game.js`), false)
	expect.Equal(t, "the text of a file", text(done(t, a, "get_project", mine(object{"file": "game.js"})), "text"), script)

	for _, address := range []string{text(made, "url"), text(made, "page_url")} {
		named := done(t, a, "get_project", object{"project": address, "edit_token": token})
		expect.Equal(t, "the project at "+address, text(named, "project"), project)
	}

	expect.Equal(t, "the checked version", number(done(t, a, "check", mine(object{})), "version"), 3)
	expect.Equal(t, "the version of a restore", number(done(t, a, "restore", mine(object{"version": 2})), "version"), 4)
	restored := done(t, a, "get_project", mine(object{"file": "js/game.js"}))
	expect.Contains(t, "the text after a restore", text(restored, "text"), "gravity = 0.2")
	done(t, a, "versions", mine(object{}))
	done(t, a, "stats", mine(object{}))
	expect.Contains(t, "the answer of upload", text(done(t, a, "upload", mine(object{"filename": "music.ogg"})), "command"), "curl ")
	refused(t, a, "restore", mine(object{"version": 99}), "version_not_found", "")
	refused(t, a, "list_projects", object{}, "key_required", "Your user connects once: ")
	done(t, a, "get_project", mine(object{}))
}

// tooLarge makes a call of 5 MB: the client reports the other way, and goes on.
func tooLarge(t *testing.T, a agent) {
	t.Helper()
	thrown := a.throws(t, "publish", object{"html": strings.Repeat("<p>a</p>", 5<<17)})
	expect.Contains(t, "the error of a call of 5 MB", thrown, "upload")
	done(t, a, "publish", object{"html": page, "dry_run": true})
}

// withKey is a conversation with the key of an account in the header.
func withKey(t *testing.T, a agent, key string) {
	t.Helper()
	a.connect(t, key)
	made := done(t, a, "publish", object{"html": page, "title": "Sky Hopper"})
	expect.Equal(t, "edit_token in the answer of publish", text(made, "edit_token"), "")
	project := text(made, "project")
	found, err := json.Marshal(done(t, a, "list_projects", object{"query": "hopper"}))
	expect.OK(t, err)
	expect.Contains(t, "the projects", string(found), project)
	edit := object{"filename": "index.html", "old": "<h1>Hop</h1>", "new": "<h1>Jump</h1>"}
	done(t, a, "update", object{"project": project, "edits": []object{edit}})
	expect.Contains(t, "the page", text(done(t, a, "get_project", object{"project": project, "file": "index.html"}), "text"), "<h1>Jump</h1>")
	refused(t, a, "get_project", object{"project": "p-nothing"}, "project_not_found", "")
}

// done makes a call that must succeed, and returns its data.
func done(t *testing.T, a agent, name string, arguments object) object {
	t.Helper()
	got := a.call(t, name, arguments)
	bounds(t, name, got)
	if got.IsError {
		t.Fatalf("%s %v: %v", name, arguments, got.Content)
	}
	return got.Data
}

// refused makes a call that the service must refuse with that code, in words that have that part.
func refused(t *testing.T, a agent, name string, arguments object, code, part string) {
	t.Helper()
	got := a.call(t, name, arguments)
	bounds(t, name, got)
	expect.Equal(t, "the error of "+name+" in data", text(got.Data, "error"), code)
	expect.Contains(t, "the error of "+name, got.Content[0].Text, code)
	expect.Contains(t, "the error of "+name, got.Content[0].Text, part)
	expect.Equal(t, "isError of "+name, got.IsError, true)
}

// bounds holds an answer to its size: clients cut longer ones.
func bounds(t *testing.T, name string, got result) {
	t.Helper()
	if len(got.Content) == 0 || got.Content[0].Type != "text" || got.Data == nil {
		t.Fatalf("the answer of %s has not both a text and data: %+v", name, got)
	}
	if most := map[bool]int{false: 300, true: 800}[got.IsError]; utf8.RuneCountInString(got.Content[0].Text) > most {
		t.Errorf("the text of %s has over %d characters: %s", name, most, got.Content[0].Text)
	}
	whole, err := json.Marshal(got)
	expect.OK(t, err)
	if name != "get_project" && utf8.RuneCount(whole) > 3000 {
		t.Errorf("the answer of %s has %d characters", name, utf8.RuneCount(whole))
	}
	if name != "upload" && strings.Contains(string(whole), "curl ") {
		t.Errorf("the answer of %s has a command: %s", name, whole)
	}
}

func text(data object, name string) string {
	said, _ := data[name].(string)
	return said
}

func number(data object, name string) int {
	n, ok := data[name].(float64)
	if !ok {
		panic(fmt.Sprintf("%s is %v", name, data[name]))
	}
	return int(n)
}
