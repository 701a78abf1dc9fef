package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/judge"
	"sandlot/internal/domain/trial"
	"sandlot/internal/storage/redis"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/web"
)

// ofServe are the metrics that serve registers, beside the app.
var ofServe = []string{"sandlot_certificate_not_after_seconds"}

// fullMetrics are the metrics of a node that has everything but other servers.
func fullMetrics(t *testing.T) (*app, *router, *metrics) {
	t.Helper()
	a := smallApp(t)
	a.opened, a.judged = &trial.Counts{}, &judge.Counts{}
	a.looker = listedSettings{DNSLists: "dbl.example"}.looker(a.places, a.store.Operate().Sightings())
	m := newMetrics(true)
	router := a.router(m)
	m.mailServer(&account.MailServer{})
	m.connections(admission.NewSlots(0, 1, admission.Local), 1)
	return a, router, m
}

// metricNames are those of a node that has everything.
func metricNames(t *testing.T) map[string]bool {
	t.Helper()
	_, _, m := fullMetrics(t)
	m.shared(&redis.Client{})
	m.cache(cached{})
	descriptions := make(chan *prometheus.Desc, 1000)
	m.registry.Describe(descriptions)
	close(descriptions)
	names := map[string]bool{}
	for d := range descriptions {
		if found := regexp.MustCompile(`fqName: "(\w+)"`).FindStringSubmatch(d.String()); found != nil {
			names[found[1]] = true
		}
	}
	if len(names) < 60 {
		t.Fatalf("only %d metrics were found", len(names))
	}
	return names
}

// ofSandlot finds the metrics of the program, and of its language, in a text.
var ofSandlot = regexp.MustCompile(`\b(?:sandlot|process|go)_\w+`)

func TestEveryMetricIsDocumentedAndTheReverse(t *testing.T) {
	t.Parallel()
	names, said := metricNames(t), map[string]bool{}
	page := inRepository(t, "docs/book/metrics.md")
	for _, cell := range regexp.MustCompile("(?m)^\\| (`sandlot_[^|]*) \\|").FindAllStringSubmatch(page, -1) {
		for _, name := range ofSandlot.FindAllString(cell[1], -1) {
			said[name] = true
			if !names[name] && !slices.Contains(ofServe, name) {
				t.Errorf("%s is documented, and is no metric", name)
			}
		}
	}
	for name := range names {
		if strings.HasPrefix(name, "sandlot_") && !said[name] {
			t.Errorf("%s is not documented in docs/book/metrics.md", name)
		}
	}
}

func TestTheDashboardIsAboutMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	var board struct {
		UID, Title string
		Panels     []struct {
			Type, Title string
			Targets     []struct{ Expr string }
		}
	}
	expect.OK(t, json.Unmarshal([]byte(inRepository(t, "deploy/dashboard.json")), &board))
	names, rows, seen := metricNames(t), 0, map[string]bool{}
	for _, p := range board.Panels {
		if p.Type == "row" {
			rows++
		} else if len(p.Targets) == 0 || p.Title == "" {
			t.Errorf("panel %q has no title, or no target", p.Title)
		}
		for _, target := range p.Targets {
			for _, name := range ofSandlot.FindAllString(target.Expr, -1) {
				if seen[name] = true; !isMetric(names, name) {
					t.Errorf("%q shows %s, which is no metric", p.Title, name)
				}
			}
		}
	}
	if rows != 6 || len(seen) < 30 || board.UID == "" {
		t.Errorf("%d rows, %d metrics, uid %q", rows, len(seen), board.UID)
	}
}

// isMetric reports whether a name is that of a metric, or of a part of a histogram.
func isMetric(names map[string]bool, name string) bool {
	for _, part := range []string{"", "_bucket", "_sum", "_count"} {
		if whole, ok := strings.CutSuffix(name, part); ok && names[whole] {
			return true
		}
	}
	return slices.Contains(ofServe, name)
}

// scraped are the series of a node with their values, as text.
func scraped(t *testing.T, m *metrics) map[string]string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	expect.Equal(t, "the status of /metrics", answer.Code, http.StatusOK)
	all := map[string]string{}
	for line := range strings.Lines(answer.Body.String()) {
		if at := strings.LastIndexByte(line, ' '); strings.HasPrefix(line, "sandlot_") {
			all[line[:at]] = strings.TrimSpace(line[at:])
		}
	}
	return all
}

func TestPromtoolFindsNoFaultInTheMetrics(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "promtool")
	_, _, m := fullMetrics(t)
	answer := httptest.NewRecorder()
	m.handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	check := exec.Command("promtool", "check", "metrics")
	check.Stdin = bytes.NewReader(answer.Body.Bytes())
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

func TestKnownLabelsAreAtZeroFromTheStart(t *testing.T) {
	t.Parallel()
	_, _, m := fullMetrics(t)
	all := scraped(t, m)
	for _, series := range []string{
		`sandlot_writes_total{op="publish",outcome="ok",way="api"}`, `sandlot_writes_total{op="restore",outcome="full",way="page"}`,
		`sandlot_writes_total{op="send",outcome="gone",way="ticket"}`, `sandlot_limited_total{limit="bytes"}`, `sandlot_limited_total{limit="max-bodies"}`,
		`sandlot_wrong_keys_total`, `sandlot_accounts{state="verified"}`, `sandlot_projects{state="trash"}`, `sandlot_stored_bytes{where="blobs"}`,
		`sandlot_blob_seconds_count{op="put",outcome="full"}`, `sandlot_mail_waiting{kind="login"}`, `sandlot_mail_total{kind="verify",outcome="failed"}`,
		`sandlot_worker_waiting{worker="trials"}`, `sandlot_worker_oldest_seconds{worker="variants"}`, `sandlot_worker_failures_total{worker="numbers"}`,
		`sandlot_worker_last_success_timestamp_seconds{worker="collect"}`, `sandlot_moderation_total{act="suspend"}`, `sandlot_reports_open`,
		`sandlot_backup_last_success_timestamp_seconds`, `sandlot_verify_damaged`, `sandlot_cache_total{result="miss"}`, `sandlot_plays_total`,
	} {
		expect.Equal(t, series, all[series], "0")
	}
	if n := len(all); n > 2500 {
		t.Errorf("there are %d series", n)
	}
}

func TestEveryFormThatIsCountedAsAWriteIsARoute(t *testing.T) {
	t.Parallel()
	a := smallApp(t)
	router := a.router(newMetrics(true))
	for path, op := range map[string]sandlot.Op{
		"/new": sandlot.OpPublish, "/new/examples": sandlot.OpPublish, "/account/projects/a-b": sandlot.OpAmend, "/account/projects/a-b/files": sandlot.OpUpdate,
		"/account/projects/a-b/runtime": sandlot.OpAmend, "/account/projects/a-b/move": sandlot.OpUpdate, "/account/projects/a-b/primary": sandlot.OpUpdate, "/account/projects/a-b/remove": sandlot.OpDeleteFile,
		"/account/projects/a-b/restore": sandlot.OpRestore, "/account/projects/a-b/delete": sandlot.OpDeleteProject,
		"/account/projects/a-b/cover": sandlot.OpNone, "/account/settings/handle": sandlot.OpNone, "/account/projects/": sandlot.OpAmend,
	} {
		expect.Equal(t, "the operation of "+path, web.Operation(path), op)
		if op != sandlot.OpNone && path != "/account/projects/" && !router.pages.Has(path) {
			t.Errorf("%s is no route", path)
		}
	}
	for way, ops := range writesOf {
		for _, op := range ops {
			if op != sentBytes && sandlot.Op(op).Row().Op == "" {
				t.Errorf("%s of %s is no operation", op, way)
			}
		}
	}
}

// do answers a request of the API.
func do(s *router, method, path, key, body string) int {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:8080"
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, r)
	return answer.Code
}

func TestMetricsCountWhatWasDone(t *testing.T) {
	t.Parallel()
	a, router, m := fullMetrics(t)
	expect.Equal(t, "publish", do(router, "POST", "/v1/publish", "", `{"content":"PGgxPmhpPC9oMT4=","title":"One","email":"ann@kindnet.de"}`), http.StatusCreated)
	expect.Equal(t, "publish of no base64", do(router, "POST", "/v1/publish", "", `{"content":"%"}`), http.StatusBadRequest)
	expect.Equal(t, "update with a wrong key", do(router, "POST", "/v1/update", "slp_"+strings.Repeat("0", 36), `{}`), http.StatusUnauthorized)
	expect.Equal(t, "a read", do(router, "GET", "/v1/whoami", "", ""), http.StatusUnauthorized)
	by := sandlot.AsOperator("op")
	list, err := a.operate.Projects(t.Context(), by, operate.ProjectQuery{Limit: 1})
	expect.OK(t, err)
	_, err = a.operate.Suspend(t.Context(), by, string(list[0].ID), "because")
	expect.OK(t, err)
	at := time.Now().Truncate(time.Second)
	expect.OK(t, a.store.Operate().Runs().Record(t.Context(), operate.RunVerify, at, 3))
	expect.OK(t, a.numbers.read(context.Background()))
	all := scraped(t, m)
	for series, want := range map[string]string{
		`sandlot_writes_total{op="publish",outcome="ok",way="api"}`: "1", `sandlot_writes_total{op="publish",outcome="mistake",way="api"}`: "1",
		`sandlot_writes_total{op="update",outcome="unidentified",way="api"}`: "1", `sandlot_wrong_keys_total`: "1",
		`sandlot_accounts{state="unverified"}`: "1", `sandlot_projects{state="suspended"}`: "1", `sandlot_projects{state="live"}`: "0",
		`sandlot_stored_bytes{where="blobs"}`: "11", `sandlot_mail_waiting{kind="verify"}`: "1", `sandlot_moderation_total{act="suspend"}`: "1",
		`sandlot_verify_damaged`: "3", `sandlot_verify_last_success_timestamp_seconds`: "0", `sandlot_worker_waiting{worker="variants"}`: "1",
		`sandlot_bodies`: "0", `sandlot_ready{part="node"}`: "1", `sandlot_ready{part="database"}`: "1",
	} {
		expect.Equal(t, series, all[series], want)
	}
}

func TestMetricsCountAPlayAndItsPlayer(t *testing.T) {
	t.Parallel()
	a, router, m := fullMetrics(t)
	expect.Equal(t, "publish", do(router, "POST", "/v1/publish", "", `{"content":"PGgxPmhpPC9oMT4=","email":"ann@kindnet.de"}`), http.StatusCreated)
	list, err := a.operate.Projects(t.Context(), sandlot.AsOperator("op"), operate.ProjectQuery{Limit: 1})
	expect.OK(t, err)
	for _, step := range []struct {
		method, path, body string
		plays, players     string // after it
	}{
		{"GET", "/", "", "1", "0"},
		{"POST", "/.sandlot/heartbeat", `{"player":"p1"}`, "1", "1"},
		{"POST", "/.sandlot/heartbeat", `{"player":"p2"}`, "1", "2"},
		{"POST", "/.sandlot/heartbeat", `{"player":"p1","gone":true}`, "1", "1"},
	} {
		r := httptest.NewRequest(step.method, step.path, strings.NewReader(step.body))
		r.Host = string(list[0].ID) + ".localhost:8080"
		r.Header.Set("User-Agent", "Mozilla/5.0 Firefox/140.0")
		answer := httptest.NewRecorder()
		router.ServeHTTP(answer, r)
		expect.Equal(t, "status", answer.Code/100, 2)
		all := scraped(t, m)
		expect.Equal(t, "plays after "+step.path+step.body, all["sandlot_plays_total"], step.plays)
		expect.Equal(t, "players after "+step.path+step.body, all["sandlot_players"], step.players)
	}
}

// TestNumbersAreLeftByBackupAndVerify runs both beside a server.
func TestNumbersAreLeftByBackupAndVerify(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	runs := func() map[operate.RunKind]operate.Run {
		db, err := storage{Data: s.Data()}.records(t.Context())
		expect.OK(t, err)
		defer db.Close()
		list, err := db.Operate().Runs().All(t.Context())
		expect.OK(t, err)
		all := map[operate.RunKind]operate.Run{}
		for _, r := range list {
			all[r.Kind] = r
		}
		return all
	}
	dir := t.TempDir() + "/backup"
	_, err := backupTo(t, s.Data(), dir)
	expect.OK(t, err)
	_, exit := verify(t, s.Data())
	expect.Equal(t, "exit code", exit, 0)
	found := runs()
	if found[operate.RunBackup].GoodAt.IsZero() || found[operate.RunVerify].GoodAt.IsZero() {
		t.Errorf("recorded are %v", found)
	}
	_, exit = verify(t, dir) // no server uses the backup
	expect.Equal(t, "exit code", exit, 0)
	db, err := storage{Data: dir}.records(t.Context())
	expect.OK(t, err)
	defer db.Close()
	list, err := db.Operate().Runs().All(t.Context())
	expect.OK(t, err)
	expect.Equal(t, "runs in the backup", len(list), 0)
}

// TestProfilesAreOnThePrivateListenerAlone, whatever the Host.
func TestProfilesAreOnThePrivateListenerAlone(t *testing.T) {
	t.Parallel()
	a := smallApp(t)
	router := a.router(newMetrics(false))
	for _, host := range []string{"127.0.0.1:8080", "localhost:8080", "other.example"} {
		r := httptest.NewRequest("GET", "/debug/pprof/", nil)
		r.Host = host
		answer := httptest.NewRecorder()
		router.ServeHTTP(answer, r)
		if answer.Code < 400 {
			t.Errorf("%s has profiles: %d", host, answer.Code)
		}
	}
	mux := http.NewServeMux()
	profiles(mux)
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", "/debug/pprof/heap?debug=1", nil))
	expect.Equal(t, "the heap on the private listener", answer.Code, http.StatusOK)
	expect.Contains(t, "its profile", answer.Body.String(), "heap profile")
}
