package deploy

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	api "sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// alone opens an instance behind Caddy with a project that has this page, and returns how its cases are walked.
func alone(t *testing.T, page string, flags ...string) (*site, *walk) {
	t.Helper()
	s := openWith(t, kinds()[0], page, flags...)
	host := s.once.ProjectID + "." + contentHost
	w := &walk{
		settings: []string{"SANDLOT_DATA=" + s.data, "SANDLOT_BASE_URL=https://" + website, "SANDLOT_CONTENT_HOST=" + contentHost},
		names:    []string{"marbles-q28hkw", s.once.ProjectID, "@ada", "@" + s.once.Handle},
		curl:     []string{"cacert = " + s.root, "connect-to = " + website + ":443:" + s.tls, "connect-to = " + host + ":443:" + s.tls},
	}
	return s, w
}

func TestTheNightAPhishingPage(t *testing.T) {
	t.Parallel()
	s, w := alone(t, `<!doctype html>
<h1>Your parcel waits</h1><p>Call 0900 123 456 and have your card ready.
`)
	w.names = append(w.names, "R-7K3M-9Q2D", s.report(t))
	w.run(t, "A phishing page")
}

var (
	formToken    = regexp.MustCompile(`name="form_token" value="([^"]+)"`)
	reportNumber = regexp.MustCompile(`R-\w{4}-\w{4}`)
)

// report reports the project of the site by the form, as a visitor does, and returns the number of the report.
func (s *site) report(t *testing.T) string {
	t.Helper()
	token := formToken.FindStringSubmatch(read(t, s.do(t, "GET", "https://"+website+"/report", nil)))
	if token == nil {
		t.Fatal("the form has no token")
	}
	form := url.Values{"form_token": {token[1]}, "project": {s.once.URL}, "reason": {"deceptive"}, "details": {"It asks for passwords."}}
	resp := s.do(t, "POST", "https://"+website+"/report", strings.NewReader(form.Encode()),
		"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin")
	number := reportNumber.FindString(read(t, resp))
	if number == "" {
		t.Fatalf("the report is answered %d without a number", resp.StatusCode)
	}
	return number
}

func TestTheNightTheDiskIsFull(t *testing.T) {
	t.Parallel()
	disk := testenv.Ext4(t, "")
	data, backup := filepath.Join(disk, "data"), filepath.Join(disk, "backups", "2026-11-01T030512Z")
	s, w := alone(t, game, "--data", data, "--disk-limit", "95")
	expect.OK(t, os.MkdirAll(backup, 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(backup, "sandlot.db"), make([]byte, 20<<20), 0o600))
	fill(t, filepath.Join(backup, "rest"))
	base, err := url.Parse("https://" + website)
	expect.OK(t, err)
	c := &api.Client{Base: base, Key: s.once.APIKey, HTTP: s.client}
	publish := func() error {
		_, err := c.Publish(t.Context(), api.Fields{}, strings.NewReader(game))
		return err
	}
	testenv.Eventually(t, stuck, "a publish that is refused", func() bool {
		err := publish()
		return err != nil && strings.Contains(fmt.Sprintf("%#v", err), "storage_full")
	})
	w.names = append(w.names, "/var/lib/sandlot", data, "/var/backups/sandlot", filepath.Dir(backup))
	w.run(t, "The disk is full")
	testenv.Eventually(t, stuck, "a publish", func() bool { return publish() == nil })
}

// fill writes a file until its disk has no room.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	expect.OK(t, err)
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 64<<10))
	}
}

func TestTheNightAKeyHasLeaked(t *testing.T) {
	t.Parallel()
	s, w := alone(t, game)
	key := s.once.APIKey
	w.names = append(w.names, "LEAKED", key, "LAST", key[len(key)-4:])
	w.run(t, "A key has leaked")
}

func TestSoakTheNightANodeDied(t *testing.T) {
	g := startNodes(t, kinds()[2], shared(t))
	g.nodes[1].Kill(t)
	w := g.walk()
	w.units = map[string]func(){"/restart/sandlot": func() { g.nodes[1].Restart(t) }}
	w.run(t, "A node died")
}

func TestSoakTheNightTheDatabaseIsAway(t *testing.T) {
	database, p := testenv.StartPostgres(t), shared(t)
	p.database = database.URL()
	away(t, database, p)
}

func TestSoakTheNightTheBucketIsAway(t *testing.T) {
	p := shared(t)
	store, bucket := testenv.StartS3(t)
	p.blobs = useBucket(t, bucket)
	away(t, store, p, "database", "blobs", "postgresql", "versitygw")
}

// away stops a part that nodes share, walks its case, and publishes.
func away(t *testing.T, part *testenv.Private, p parts, names ...string) {
	t.Helper()
	g := startNodes(t, kinds()[2], p)
	part.Stop(t)
	w := g.walk()
	w.names = append(w.names, names...)
	testenv.Eventually(t, stuck, "a node that says so", func() bool { return strings.Contains(g.readyz(t), "without") })
	restart := func() { part.Start(t) }
	w.units = map[string]func(){"/restart/postgresql": restart, "/restart/versitygw": restart}
	w.run(t, "The bucket or the database is away")
	large := strings.Repeat(game, 10_000) // it does not lie in the database
	testenv.Eventually(t, time.Minute, "a publish", func() bool {
		_, err := g.api.Publish(t.Context(), api.Fields{}, strings.NewReader(large))
		return err == nil
	})
}

func (g *group) readyz(t *testing.T) string {
	t.Helper()
	resp, err := http.Get("http://" + g.healths[0] + "/readyz")
	expect.OK(t, err)
	defer resp.Body.Close()
	return read(t, resp)
}

// walk returns how a case of nodes is walked.
func (g *group) walk() *walk {
	w := &walk{names: []string{"9090", port(g.healths[0])}}
	for n := range 3 {
		w.names = append(w.names, fmt.Sprintf("10.0.0.%d", 11+n), fmt.Sprintf("127.0.0.%d", 11+n))
	}
	return w
}

// TestEveryAlertOfTheBookExists among the rules.
func TestEveryAlertOfTheBookExists(t *testing.T) {
	rules, err := os.ReadFile("../../deploy/alerts.yaml")
	expect.OK(t, err)
	pages, err := filepath.Glob("../../docs/book/*.md")
	expect.OK(t, err)
	var found [][][]byte
	for _, page := range pages {
		text, err := os.ReadFile(page)
		expect.OK(t, err)
		found = append(found, regexp.MustCompile("`(Sandlot[A-Z]\\w+)`").FindAllSubmatch(text, -1)...)
	}
	if len(found) < 15 {
		t.Errorf("only %d alerts are named", len(found))
	}
	for _, alert := range found {
		expect.Contains(t, "the rules", string(rules), "alert: "+string(alert[1])+"\n")
	}
}
