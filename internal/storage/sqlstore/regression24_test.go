package sqlstore

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// found returns which of the words are in any file beside a database, and where.
func found(t *testing.T, path string, words []string) (list []string) {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v, error %v", files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		expect.OK(t, err)
		for _, w := range words {
			if bytes.Contains(text, []byte(w)) {
				list = append(list, fmt.Sprintf("%s in %s", w, strings.TrimPrefix(name, filepath.Dir(path))))
			}
		}
	}
	return list
}

// gone waits until none of the words is in a file.
func gone(t *testing.T, path string, words []string) {
	t.Helper()
	var left []string
	if testenv.Poll(20*time.Second, func() bool { left = found(t, path, words); return left == nil }) {
		return
	}
	t.Errorf("%d of %d are still in the files: %v", len(left), len(words), left[:min(len(left), 9)])
}

// told gives accounts and projects distinctive texts, and returns the accounts with the
// words that are to go with each second one.
func told(t *testing.T, db *DB, n int) (deleted []sandlot.AccountID, gone, kept []string) {
	t.Helper()
	for i := range n {
		// Far apart in every index, so that pages are split, joined and freed.
		mark := fmt.Sprintf("%06dq", (i*7919)%100_003)
		p := mustProject(t, db, uint64(i))
		email, title, text := mark+"@distinct.example", mark+" Title", "About "+mark
		expect.Is(t, "describe", db.Publish().SetDetails(t.Context(), p.ID, publish.Details{Title: title, Description: text + strings.Repeat(" "+mark, 5000)}.Change()), nil)
		expect.Is(t, "set address", db.Publish().SetEmail(t.Context(), p.Account, email, sandlot.Job{Kind: "verify", Address: email, Due: time.Now()}, 0), nil)
		mustExec(t, db, fmt.Sprintf("UPDATE accounts SET verified = 1 WHERE id = %d", p.Account))
		words := []string{email, title, text, mark + " " + mark}
		if i%2 == 0 {
			deleted, gone = append(deleted, p.Account), append(gone, words...)
		} else {
			kept = append(kept, words...)
		}
	}
	expect.Is(t, "list", db.finishFollows(t.Context()), nil)
	return deleted, gone, kept
}

func remove(t *testing.T, db *DB, accounts []sandlot.AccountID) {
	t.Helper()
	for _, a := range accounts {
		expect.Is(t, "remove", db.Operate().Remove(t.Context(), sandlot.Subject{Account: a}, sandlot.LogEntry{At: time.Now(), Actor: "me", Action: sandlot.ActionDelete, Target: fmt.Sprint(a)}), nil)
	}
	forgetEmails(t, db)
}

// forgetEmails is what becomes of addresses once there are no messages to them.
func forgetEmails(t *testing.T, db *DB) {
	t.Helper()
	for {
		list, err := db.Upkeep().Forgotten(t.Context(), operate.ForgottenEmail{}, 100)
		expect.Is(t, "forgotten", err, nil)
		if len(list) == 0 {
			return
		}
		for _, f := range list {
			expect.Is(t, "forget", db.Upkeep().ForgetEmail(t.Context(), f), nil)
		}
	}
}

func TestRegression24WhatIsDeletedIsInNoFileOfTheDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	db := mustOpen(t, path)
	accounts, words, kept := told(t, db, 80)
	if n := len(found(t, path, words)); n < len(words) {
		t.Fatalf("only %d of %d texts are found before", n, len(words))
	}
	remove(t, db, accounts)
	gone(t, path, words)
	if n := len(found(t, path, kept)); n < len(kept) {
		t.Errorf("only %d of %d texts of others are found after", n, len(kept))
	}
}

// TestRegression24AReaderOfLongKeepsNothing: the log cannot be emptied while somebody
// reads an older state, and is as soon as that ends, on an instance that writes nothing.
func TestRegression24AReaderOfLongKeepsNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	db := mustOpen(t, path)
	onSQLite(db).LimitLog(0, 100*time.Millisecond)
	accounts, words, _ := told(t, db, 10)
	other, err := sql.Open("sqlite", path)
	expect.Is(t, "open", err, nil)
	defer other.Close()
	reading, err := other.BeginTx(t.Context(), nil)
	expect.Is(t, "begin", err, nil)
	var n int
	expect.Is(t, "read", reading.QueryRow("SELECT count(*) FROM accounts").Scan(&n), nil)
	remove(t, db, accounts)
	testenv.Wait(t, time.Second, "all tries but those after a while fall into this time")
	if found(t, path, words) == nil {
		t.Fatal("a reader of an older state finds nothing of it")
	}
	expect.Is(t, "end", reading.Rollback(), nil)
	gone(t, path, words)
}

// TestRegression24AnIdleLogIsEmptied: nothing but time has the log emptied.
func TestRegression24AnIdleLogIsEmptied(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	db := mustOpen(t, path)
	p := mustProject(t, db, 1)
	expect.Is(t, "describe", db.Publish().SetDetails(t.Context(), p.ID, publish.Details{Description: "an earlier text"}.Change()), nil)
	expect.Is(t, "describe", db.Publish().SetDetails(t.Context(), p.ID, publish.Details{Description: "another"}.Change()), nil)
	if found(t, path, []string{"an earlier text"}) == nil {
		t.Fatal("it is not found before")
	}
	onSQLite(db).LimitLog(0, 100*time.Millisecond)
	gone(t, path, []string{"an earlier text"})
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() > 0 {
		t.Errorf("the log has %d bytes, error %v", info.Size(), err)
	}
}

// TestRegression24ACommandLeavesNothingInTheLog: a command beside the server, whose log
// is folded in by the server, empties it of what it deleted.
func TestRegression24ACommandLeavesNothingInTheLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	server := mustOpen(t, path)
	accounts, words, _ := told(t, server, 10)
	command, err := OpenSQLite(t.Context(), path, Options{Existing: true})
	expect.Is(t, "open", err, nil)
	remove(t, command, accounts)
	expect.Is(t, "close", command.Close(), nil)
	gone(t, path, words)
}

// TestRegression24ARecordThatCannotBeEmptiedKeepsNoOther: neither another account's nor one of another kind.
func TestRegression24ARecordThatCannotBeEmptiedKeepsNoOther(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	accounts, _, _ := told(t, db, 6)
	mustExec(t, db, "UPDATE keys SET name = 'laptop'")
	mustExec(t, db, "UPDATE versions SET title = 'early'")
	mustExec(t, db, fmt.Sprintf("CREATE TRIGGER damaged BEFORE UPDATE OF name ON keys WHEN old.account = %d BEGIN SELECT raise(ABORT, 'damaged'); END", accounts[0]))
	left := func() [3]int {
		var n [3]int
		for i, query := range []string{
			"SELECT account FROM keys WHERE name <> '' AND account IN (SELECT id FROM accounts WHERE deleted_at IS NOT NULL)",
			"SELECT p.account FROM versions v JOIN projects p ON p.num = v.project WHERE v.title <> '' AND p.account IN (SELECT id FROM accounts WHERE deleted_at IS NOT NULL)",
			"SELECT account FROM forgets WHERE email = ''",
		} {
			found, err := all(t.Context(), db, scanValue[int64], query)
			expect.Is(t, "look", err, nil)
			n[i] = len(found)
			for _, a := range found {
				if a != int64(accounts[0]) {
					t.Errorf("account %d is not forgotten, for a record of account %d", a, accounts[0])
				}
			}
		}
		return n
	}
	remove(t, db, accounts)
	if got := left(); got[0] == 0 || got[1] > 0 || got[2] != 1 {
		t.Errorf("of keys, versions and accounts are left %v", got)
	}
	mustExec(t, db, "DROP TRIGGER damaged")
	expect.Is(t, "finish", db.finishForgets(t.Context()), nil)
	expect.Equal(t, "after the mend are left", left(), [3]int{})
}
