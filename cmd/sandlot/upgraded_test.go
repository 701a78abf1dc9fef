package main

import (
	"bytes"
	"database/sql"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestASchemaThatIsAhead: the release after has brought the schema up to date, beside this program. This one goes on, and starts, if that only
// expanded it; otherwise it does not start, changes nothing, and says what to do.
func TestASchemaThatIsAhead(t *testing.T) {
	t.Parallel()
	set := fullSet(t)
	bin := testenv.Binary(t)
	beside := testenv.Start(t, bin, set...)
	key := signUp(t, beside)
	ahead := func(change string) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), set[1])
		expect.OK(t, err)
		defer conn.Close(t.Context())
		for _, query := range []string{
			change,
			`INSERT INTO migrations (n, name, sha256, applied_at)
				SELECT max(n) + 1, 'later.sql', sha256(convert_to(max(n)::text, 'UTF8')), 0 FROM migrations`,
		} {
			_, err := conn.Exec(t.Context(), query)
			expect.OK(t, err)
		}
	}
	works := func(s *testenv.Server, word string) {
		t.Helper()
		made, err := apiOf(s, key).Publish(t.Context(), client.Fields{Title: word}, strings.NewReader("<p>"+word))
		expect.OK(t, err)
		big := bigFile(word)
		_, err = apiOf(s, key).Update(t.Context(), client.Fields{ProjectID: made.ProjectID, Filename: "big.bin"}, bytes.NewReader(big))
		expect.OK(t, err)
		sees(t, s, "http://"+made.ProjectID+".localhost/big.bin", http.StatusOK, big)
		testenv.Eventually(t, within, "it is found", func() bool {
			_, list := open(t, s, "http://localhost/?q="+word)
			return strings.Contains(string(list), made.ProjectID)
		})
		if status, body := open(t, s, s.URL()+"/readyz"); status != http.StatusOK {
			t.Errorf("readyz is %d: %s", status, body)
		}
	}
	refused := func(name string) {
		t.Helper()
		for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"admin", "list"}, {"verify"}} {
			out, err := exec.Command(bin, slices.Concat(command, []string{"--data", t.TempDir()}, set[:4])...).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "was written by a newer sandlot") || !strings.Contains(string(out), "nothing was changed, start the newer one") {
				t.Errorf("%s on %s: %v\n%s", command[0], name, err, out)
			}
		}
	}

	works(beside, "before")
	ahead("ALTER TABLE projects ADD COLUMN later TEXT NOT NULL DEFAULT ''; CREATE TABLE later (n BIGINT PRIMARY KEY)")
	works(beside, "beside")
	behind := testenv.Start(t, bin, set...)
	works(behind, "behind")
	if out, err := exec.Command(bin, append([]string{"admin", "list"}, set[:4]...)...).CombinedOutput(); err != nil {
		t.Errorf("admin list: %v\n%s", err, out)
	}
	ahead("ALTER TABLE accounts ADD COLUMN later TEXT NOT NULL DEFAULT ''")
	behind.Restart(t)
	works(behind, "two")
	out, err := exec.Command(bin, append([]string{"backup", filepath.Join(t.TempDir(), "backup")}, set[:4]...)...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "this one would leave that out; nothing was changed, run the same with the newer one") {
		t.Errorf("backup: %v\n%s", err, out)
	}
	conn, err := pgx.Connect(t.Context(), set[1])
	expect.OK(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "UPDATE oldest_schema SET n = 1000")
	expect.OK(t, err)
	refused("a schema that did more than expand")
	works(behind, "going")
}

// TestASchemaOfSQLiteThatIsAhead is the same on a data folder.
func TestASchemaOfSQLiteThatIsAhead(t *testing.T) {
	t.Parallel()
	bin, data := testenv.Binary(t), t.TempDir()
	s := testenv.Start(t, bin, "--data", data)
	key := signUp(t, s)
	change := func(queries string) {
		t.Helper()
		db, err := sql.Open("sqlite", filepath.Join(data, databaseName))
		expect.OK(t, err)
		_, err = db.Exec(queries)
		expect.OK(t, errors.Join(err, db.Close()))
	}
	run := func(args ...string) (string, error) {
		out, err := exec.Command(bin, args...).CombinedOutput()
		return string(out), err
	}
	expect.Equal(t, "exit code", s.Stop(t), 0)
	change(`ALTER TABLE projects ADD COLUMN later TEXT NOT NULL DEFAULT ''; CREATE TABLE later (n INTEGER) STRICT;
		INSERT INTO migrations (n, name, sha256, applied_at) SELECT max(n) + 1, 'later.sql', zeroblob(32), 0 FROM migrations`)
	s.Restart(t)
	made, err := apiOf(s, key).Publish(t.Context(), client.Fields{}, strings.NewReader("<p>beside"))
	expect.OK(t, err)
	sees(t, s, made.URL, http.StatusOK, []byte("<p>beside"))

	backup := filepath.Join(t.TempDir(), "backup")
	for _, args := range [][]string{{"admin", "list", "--data", data}, {"verify", "--data", data}, {"backup", backup, "--data", data}, {"verify", "--data", backup}} {
		if out, err := run(args...); err != nil {
			t.Errorf("%s: %v\n%s", args[0], err, out)
		}
	}
	expect.Equal(t, "exit code", s.Stop(t), 0)
	target := filepath.Join(t.TempDir(), "target")
	if out, err := run("move", "--from", data, "--to", target); err == nil || !strings.Contains(out, "nothing was changed, run the same with the newer one") {
		t.Errorf("move: %v\n%s", err, out)
	}
	change("UPDATE oldest_schema SET n = 1000")
	if out, err := run("serve", "--listen", "127.0.0.1:0", "--data", data); err == nil || !strings.Contains(out, "start the newer one, or a copy from before its upgrade") {
		t.Errorf("serve: %v\n%s", err, out)
	}
}

// TestACopyFromBeforeAnUpgradeIsDeletedAfterAWeek: by a server whose clock is trusted.
func TestACopyFromBeforeAnUpgradeIsDeletedAfterAWeek(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := testenv.Start(t, testenv.Binary(t), "--data", data)
	expect.Equal(t, "exit code", s.Stop(t), 0)
	db, err := sql.Open("sqlite", filepath.Join(data, databaseName))
	expect.OK(t, err)
	_, err = db.Exec("INSERT INTO clock (one, at) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET at = excluded.at", time.Now().UnixMicro())
	expect.OK(t, errors.Join(err, db.Close()))
	copyOf := func(days int) string {
		name := filepath.Join(data, databaseName+".schema-1."+time.Now().UTC().AddDate(0, 0, -days).Format("20060102T150405Z"))
		expect.OK(t, os.WriteFile(name, nil, 0o600))
		return name
	}
	young, old := copyOf(6), copyOf(8)
	s.Restart(t)
	testenv.Eventually(t, within, "the copy of eight days is gone", func() bool {
		_, err := os.Stat(old)
		return errors.Is(err, fs.ErrNotExist)
	})
	_, err = os.Stat(young)
	expect.OK(t, err)
}
