package deploy

import (
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the records, which are made newer

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSoakTheNightACertificateHasEnded on an instance that ends TLS itself.
func TestSoakTheNightACertificateHasEnded(t *testing.T) {
	t.Parallel()
	bin, names := testenv.Binary(t), []string{"localhost", "*.localhost"}
	ends := time.Now().Add(15 * time.Second).Truncate(time.Second)
	old, renewed := newAuthorityFor(t, ends, names...), newAuthorityFor(t, time.Now().Add(30*24*time.Hour), names...)
	at, data := testenv.Port(t), t.TempDir()
	expect.OK(t, os.Chmod(data, 0o700))
	flags := []string{
		"--listen", at, "--http-listen", "none", "--base-url", "https://localhost:" + port(at),
		"--tls", "files", "--tls-cert", old.chain, "--tls-key", old.key, "--data", data,
	}
	s := testenv.Start(t, bin, flags...)
	w := &walk{names: []string{website, "localhost"}, settings: []string{"SSL_CERT_FILE=" + renewed.root}}
	for i := 0; i < len(flags); i += 2 {
		name := strings.ReplaceAll(strings.ToUpper(strings.TrimPrefix(flags[i], "--")), "-", "_")
		w.settings = append(w.settings, "SANDLOT_"+name+"="+flags[i+1])
	}
	w.units = map[string]func(){
		"/renew/certificate": func() {
			expect.OK(t, os.Rename(renewed.chain, old.chain))
			expect.OK(t, os.Rename(renewed.key, old.key))
		},
		"/restart/sandlot": func() { s.Restart(t) },
	}
	testenv.Eventually(t, stuck, "the end of the certificate", func() bool { return time.Now().After(ends.Add(time.Second)) })
	w.run(t, "A certificate has ended")
}

func TestSoakTheNightOneProjectIsLost(t *testing.T) {
	t.Parallel()
	s, w := alone(t, game)
	backup := filepath.Join(t.TempDir(), "2026-11-27T030512Z")
	s.sandlot(t, "backup", backup)
	s.sandlot(t, "admin", "delete", s.once.ProjectID, "--reason", "a mistake")
	w.names = append(w.names, "/var/backups/sandlot", filepath.Dir(backup))
	w.run(t, "One project is lost or spoiled")
	expect.Equal(t, "the project", read(t, s.do(t, "GET", s.once.URL, nil)), game)
}

// sandlot runs a command of the operator.
func (s *site) sandlot(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command(testenv.Binary(t), append(args, "--data", s.data)...).CombinedOutput()
	expect.OK(t, err, string(out))
}

// TestSoakTheNightANewVersionIsWorse plays the version before, and one from further back, by records that a newer version has changed: first it
// expanded the schema, and then did more.
func TestSoakTheNightANewVersionIsWorse(t *testing.T) {
	t.Parallel()
	s, w := alone(t, game)
	records := filepath.Join(s.data, "sandlot.db")
	change := func(queries string) {
		db, err := sql.Open("sqlite", records)
		expect.OK(t, err)
		_, err = db.Exec(queries)
		expect.OK(t, errors.Join(err, db.Close()))
	}
	const copied = "sandlot.db.schema-24.20261128T055057Z"
	w.names = append(w.names, "/var/lib/sandlot", s.data)
	w.units = map[string]func(){
		"/install/sandlot_0.2.0_amd64.deb": func() {
			s.server.Stop(t)
			before, err := os.ReadFile(records)
			expect.OK(t, err)
			expect.OK(t, os.WriteFile(filepath.Join(s.data, copied), before, 0o600))
			change(`ALTER TABLE projects ADD COLUMN later TEXT NOT NULL DEFAULT '';
				INSERT INTO migrations (n, name, sha256, applied_at) SELECT max(n) + 1, 'later.sql', zeroblob(32), 0 FROM migrations`)
			s.server.Restart(t)
		},
		"/stop/sandlot":                    func() { s.server.Stop(t) },
		"/install/sandlot_0.1.0_amd64.deb": func() { change("UPDATE oldest_schema SET n = (SELECT max(n) FROM migrations)") },
		"/start/sandlot":                   func() { s.server.Restart(t) },
	}
	w.run(t, "A new version is worse")
	expect.Equal(t, "the project", read(t, s.do(t, "GET", s.once.URL, nil)), game)
}
