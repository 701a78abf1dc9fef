package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// search returns which of the words are in any file of a data folder, and where.
func search(t *testing.T, data string, words []string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // files come and go
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		for _, w := range words {
			if bytes.Contains(text, []byte(w)) {
				list = append(list, w+" in "+strings.TrimPrefix(path, data))
			}
		}
		return nil
	})
	expect.OK(t, err)
	return list
}

// TestRegression24ADeletedAccountIsInNoFile searches the bytes of all files of a running
// instance for what an account said of itself and of its projects.
func TestRegression24ADeletedAccountIsInNoFile(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	db := otherProcess(t, s)
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := db.ExecContext(t.Context(), query, args...)
		expect.OK(t, err)
	}
	post := func(path, key string, fields map[string]any) map[string]any {
		t.Helper()
		status, answer := call(t, s, "POST", path, key, fields)
		if status >= 300 {
			t.Fatalf("%s: %d %v", path, status, answer)
		}
		return answer
	}
	const first, second = "Quince.Marrow@orchard.example", "quince@second.example"
	// A message of each is written, and the account keeps neither.
	post("/v1/publish", "", map[string]any{"content": []byte("<title>x</title>"), "email": "neighbour@elsewhere.example", "title": "Neighbour Plum"})
	made := post("/v1/publish", "", map[string]any{"content": []byte("<title>Inner</title>"), "email": first, "handle": "quincy", "title": "Mulberry, The Unspoken"})
	key := made["api_key"].(string)
	post("/v1/update", key, map[string]any{"project_id": made["project_id"], "filename": "index.html", "content": []byte("<p>"), "title": "Medlar Renamed"})
	other := post("/v1/publish", key, map[string]any{"content": []byte("<p>"), "title": "Sloe In Large Letters"})
	post("/v1/update", key, map[string]any{"project_id": other["project_id"], "filename": "greengage.html", "content": []byte("Greengage inside of a page")})
	post("/v1/publish", key, map[string]any{"content": []byte("part one"), "upload_id": "u1", "part": 1, "total_parts": 2, "title": "Damson Half Sent"})
	exec("UPDATE projects SET description = 'Gooseberry: what it is about' WHERE id = ?", other["project_id"])
	exec("UPDATE keys SET name = 'Key of the cherry laptop' WHERE account = (SELECT id FROM accounts WHERE handle = 'quincy')")
	var address string
	expect.OK(t, db.QueryRow("SELECT email FROM accounts WHERE handle = 'quincy'").Scan(&address))
	eventually(t, "both messages are written", func() bool {
		return len(search(t, filepath.Join(s.Data(), mailName), []string{address, "neighbour@elsewhere.example"})) >= 2
	})
	exec("UPDATE accounts SET verified = 1 WHERE handle = 'quincy'")
	exec("INSERT INTO email_moves (account, email, undo, expires_at) SELECT id, ?, 0, ? FROM accounts WHERE handle = 'quincy'", second, time.Now().Add(time.Hour).UnixMicro())
	exec("INSERT INTO sessions (hash, account, agent, created_at, proved_at, seen_at, expires_at) SELECT x'01', id, 'Browser Of Apricot', 1, 1, 1, ? FROM accounts WHERE handle = 'quincy'", time.Now().Add(time.Hour).UnixMicro())
	exec("INSERT INTO reports (number, form, project, reason, details, contact, at) VALUES ('R-TEST-0001', x'02', 'x', 'other', 'Elderberry told me so', ?, 1)", address)
	words := []string{
		address, second, "Mulberry, The Unspoken", "Medlar Renamed", "Sloe In Large Letters", "Damson Half Sent",
		"Gooseberry: what it is about", "Key of the cherry laptop", "Browser Of Apricot", "Elderberry told me so",
	}
	for _, w := range words {
		if search(t, s.Data(), []string{w}) == nil {
			t.Fatalf("%q is not found before", w)
		}
	}
	if out := admin(t, s, "delete", "@quincy", "--reason", "was asked for"); !strings.Contains(out, "@quincy is deleted") {
		t.Fatal(out)
	}
	var left []string
	if !testenv.Poll(90*time.Second, func() bool { left = search(t, s.Data(), words); return left == nil }) {
		t.Errorf("a day is not over, but what was deleted should be gone: %v", left)
	}
	if kept := search(t, s.Data(), []string{"neighbour@elsewhere.example", "Neighbour Plum"}); !slices.ContainsFunc(kept, func(s string) bool { return strings.Contains(s, ".eml") }) {
		t.Errorf("another's texts: %v", kept)
	}
	if status, _ := call(t, s, "GET", "/v1/whoami", key, nil); status != http.StatusUnauthorized {
		t.Errorf("its key is answered %d", status)
	}
	if status, answer := call(t, s, "POST", "/v1/signup", "", map[string]any{"handle": "quincy"}); status != http.StatusCreated || answer["handle"] == "quincy" {
		t.Errorf("its handle: %d %v", status, answer["handle"])
	}
	if status, _ := call(t, s, "GET", fmt.Sprint("/v1/project/", made["project_id"]), "", nil); status != http.StatusNotFound {
		t.Errorf("its project is answered %d", status)
	}

	// A day later its files are gone, too.
	files := []string{"Greengage inside of a page", "greengage.html"}
	if search(t, s.Data(), files) == nil {
		t.Fatal("its files are not found before")
	}
	exec("UPDATE removals SET at = at - 86400000000")
	exec("UPDATE blobs SET created_at = created_at - 86400000000")
	exec("INSERT OR REPLACE INTO clock (one, at) VALUES (1, ?)", time.Now().UnixMicro()) // as after an hour of a clock that goes right
	db.Close()
	s.Kill(t)
	s.Restart(t)
	eventually(t, "its files are gone", func() bool { left = search(t, s.Data(), files); return left == nil })
}
