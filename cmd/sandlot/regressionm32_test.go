//go:build linux

package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// noOtherLimits leaves the limit of work alone.
var noOtherLimits = []string{
	"--limits", "normal", "--limit", "accounts=off", "--limit", "writes=off", "--limit", "bytes=off", "--limit", "mails=off", "--limit", "heartbeats=off",
	"--limit", "reports=off", "--limit", "likes=off", "--limit", "searches=off", "--limit", "downloads=off", "--limit", "archives=0",
	"--limit", "player-reads=off", "--limit", "player-writes=off", "--limit", "player-reports=off",
}

// priced is a ground with a large project, many small ones, and a client of a public address.
type priced struct {
	*ground
	t     *testing.T
	large string   // the id of a project of 10,000 files
	ids   []string // of 60 projects
}

func newPriced(t *testing.T) *priced {
	t.Helper()
	m := modes[slices.IndexFunc(modes, func(m mode) bool { return m.name == "A" })]
	m.args = slices.Concat(m.args, noOtherLimits)
	p := &priced{ground: newGround(t, m, newAuthority(t)), t: t}
	for i := range 60 {
		_, made := call(t, p.s, "POST", "/v1/publish", p.victim, map[string]any{"content": page(2000), "title": strings.Repeat(fmt.Sprintf("Wide %d ", i), 12)})
		p.ids = append(p.ids, made["project_id"].(string))
	}
	body, format := manyTiny(t, "0")
	made := p.ask("", "POST", "/v1/publish", body, "Authorization", "Bearer "+p.victim, "Content-Type", format)
	expect.Equal(t, "the large project", made.StatusCode, http.StatusCreated)
	p.large = replied(t, made).body["project_id"].(string)
	call(t, p.s, "POST", "/v1/update", p.victim, map[string]any{"project_id": p.large, "filename": "f1.js", "text": strings.Repeat("let a = 1\n", 50_000)})
	_, changed := call(t, p.s, "POST", "/v1/update", p.victim, map[string]any{"project_id": p.large, "filename": "f1.js", "text": strings.Repeat("let b = 2\n", 50_000)})
	expect.Equal(t, "its versions", changed["version"], any(3.0))
	return p
}

// manyTiny is an archive of 10,000 short files.
func manyTiny(t *testing.T, text string) (body, format string) {
	t.Helper()
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out)
	expect.OK(t, err)
	w := tar.NewWriter(z)
	for i := range packedFiles {
		name := fmt.Sprintf("f%d.js", i)
		if i == 0 {
			name = "index.html"
		}
		expect.OK(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		expect.OK(t, err)
	}
	expect.OK(t, w.Close())
	expect.OK(t, z.Close())
	return out.String(), "application/zstd"
}

// ask sends a request to the website from an address, as the proxy passes it on; without one from this machine, which has no limits.
func (p *priced) ask(addr, method, path, body string, header ...string) *http.Response {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, strings.Replace(p.base, "https:", "http:", 1)+path, strings.NewReader(body))
	expect.OK(p.t, err)
	if addr != "" {
		req.Header.Set("X-Forwarded-For", addr)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := p.s.Client().Transport.RoundTrip(req)
	expect.OK(p.t, err)
	return resp
}

// rests waits until the workers have nothing to do.
func (p *priced) rests() {
	p.t.Helper()
	last, since := cpu(p.t, p.s), time.Now()
	testenv.Eventually(p.t, 2*time.Minute, "a service at rest", func() bool {
		if now := cpu(p.t, p.s); now-last > 50*time.Millisecond {
			last, since = now, time.Now()
		}
		return time.Since(since) > time.Second
	})
}

// TestSoakRegressionM32EveryOperationCostsWhatItIsCharged: until the limit refuses it, one address has taken no more of a processor by the
// dearest call of an operation than the limit grants.
func TestSoakRegressionM32EveryOperationCostsWhatItIsCharged(t *testing.T) {
	p := newPriced(t)
	key := []string{"Authorization", "Bearer " + p.victim}
	login := []string{"Cookie", strings.SplitN(p.cookies[0], ";", 2)[0], "Sec-Fetch-Site", "same-origin"}
	json := slices.Concat(key, []string{"Content-Type", "application/json"})
	at := func(path string) func(int) (string, string) { return func(int) (string, string) { return path, "" } }
	for i, c := range []struct {
		name, method string
		call         func(i int) (path, body string)
		header       []string
	}{
		{"look: a list of 10,000 files, by HEAD", "HEAD", at("/v1/project/" + p.large), key},
		{"look: a list of 10,000 files", "GET", at("/v1/project/" + p.large + "?content=none"), key},
		{"look: versions of 10,000 files", "GET", at("/v1/project/" + p.large + "/versions"), key},
		{"look: whoami", "GET", at("/v1/whoami"), key},
		{"look: statistics", "GET", at("/v1/project/" + p.large + "/stats"), key},
		{"look: the home page", "GET", at("/"), login},
		{"look: a project's page", "GET", at("/p/" + p.large), login},
		{"look: a profile", "GET", at("/@victim"), login},
		{"look: the account", "GET", at("/account"), login},
		{"look: the owner's page of 10,000 files", "GET", at("/account/projects/" + p.large), login},
		{"compare", "GET", at("/account/projects/" + p.large + "/versions/3/diff?file=f1.js"), login},
		{"draw", "GET", func(i int) (string, string) { return "/p/" + p.ids[i%len(p.ids)] + "/card.jpg", "" }, nil},
		{"search", "GET", func(i int) (string, string) { return fmt.Sprintf("/?q=wide+%d", i), "" }, nil},
		{"like", "POST", func(i int) (string, string) { return "/p/" + p.ids[i%len(p.ids)] + "/like", "like=1" }, append([]string{"Content-Type", "application/x-www-form-urlencoded"}, login...)},
		{"publish", "POST", func(i int) (string, string) {
			return "/v1/publish", fmt.Sprintf(`{"text":"<!doctype html><title>%d</title>"}`, i)
		}, json},
		{"update", "POST", func(i int) (string, string) {
			return "/v1/update", fmt.Sprintf(`{"project_id":%q,"filename":"a.js","text":"let a = %d"}`, p.ids[0], i)
		}, json},
		{"update: 10,000 files", "POST", func(i int) (string, string) {
			body, _ := manyTiny(t, strconv.Itoa(i))
			return "/v1/update?replace=true&project_id=" + p.ids[1], body
		}, append([]string{"Content-Type", "application/zstd"}, key...)},
		{"ticket", "POST", at("/v1/uploads"), json},
		{"signup", "POST", func(int) (string, string) { return "/v1/signup", "{}" }, []string{"Content-Type", "application/json"}},
		{"export", "GET", at("/v1/export"), key},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.t = t
			p.rests()
			used, begun, addr := cpu(t, p.s), time.Now(), fmt.Sprintf("203.0.113.%d", i+1)
			n, status, least, most := 0, 0, 999, 0
			for ; status != http.StatusTooManyRequests && time.Since(begun) < time.Minute; n++ {
				path, body := c.call(n)
				resp := p.ask(addr, c.method, path, body, c.header...)
				_, err := io.Copy(io.Discard, resp.Body)
				expect.OK(t, errors.Join(err, resp.Body.Close()))
				if status = resp.StatusCode; status != http.StatusTooManyRequests {
					least, most = min(least, status), max(most, status)
				}
			}
			granted := 5*time.Second + time.Since(begun)/4
			p.rests()
			took := cpu(t, p.s) - used
			t.Logf("%d calls, %v of the processor, %v each; %v granted; statuses %d to %d", n, took, (took / time.Duration(n)).Round(10*time.Microsecond), granted.Round(10*time.Millisecond), least, most)
			// A call without its price costs ten times as much as it is charged, and more. On a machine with ten times as much to do as it has
			// processors, the same work takes up to half as much again.
			if status != http.StatusTooManyRequests || took > 2*granted || most >= 400 {
				t.Errorf("status %d at the end", status)
			}
		})
	}
}
