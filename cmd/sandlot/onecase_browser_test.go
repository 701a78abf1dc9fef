package main

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A precinct is two nodes of one public instance behind a proxy with TLS, with their moderator in a browser.
type precinct struct {
	*person
	nodes []*testenv.Server
	base  string
	flags []string // of the database and the stores
}

func newPrecinct(t *testing.T) *precinct {
	t.Helper()
	ca := newAuthority(t)
	p := &precinct{flags: fullSet(t)}
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: p.nodes[0].Addr()})
			r.Out.Host = r.In.Host
			r.Out.Header.Set("X-Forwarded-For", "203.0.113.1")
			r.Out.Header.Set("X-Forwarded-Proto", "https")
		}}).ServeHTTP(w, r)
	}))
	front.TLS = &tls.Config{Certificates: []tls.Certificate{ca.cert}}
	_, port, _ := strings.Cut(front.Listener.Addr().String(), ":")
	p.base = "https://site.test:" + port
	for range 2 {
		p.nodes = append(p.nodes, testenv.Start(t, testenv.Binary(t), append([]string{
			"--base-url", p.base, "--content-host", "toys.test:" + port, "--trusted-proxies", "127.0.0.1",
			"--report-mail", "op@example.org", "--security-contact", "mailto:help@example.org",
		}, p.flags...)...))
	}
	front.StartTLS()
	t.Cleanup(front.Close)
	p.person = newPerson(t, hostileBrowser(t, ca), p.base, desktop("light"))
	return p
}

// letter waits for a message to an address with some words, on whichever node sent it, and returns its text.
func (p *precinct) letter(to, words string) (text string) {
	p.t.Helper()
	testenv.Eventually(p.t, time.Minute, "a message to "+to+" with "+words, func() bool {
		for _, s := range p.nodes {
			paths, _ := filepath.Glob(filepath.Join(s.Data(), "mail", "[^.]*.eml"))
			for _, path := range paths {
				message, err := os.ReadFile(path)
				if err != nil || !strings.Contains(string(message), "To: <"+to+">") {
					continue
				}
				if text = plainText(p.t, string(message)); strings.Contains(text, words) {
					return true
				}
			}
		}
		return false
	})
	return text
}

// joins makes an account with a confirmed address.
func (p *precinct) joins(handle string) (key string) {
	p.t.Helper()
	status, made := call(p.t, p.nodes[0], "POST", "/v1/signup", "", map[string]any{"handle": handle, "email": handle + "@people.internal"})
	expect.Equal(p.t, "sign up", status, http.StatusCreated)
	token := url.Values{"token": {strings.TrimPrefix(linkIn(p.letter(handle+"@people.internal", "/verify?token="), "/verify?token="), p.base+"/verify?token=")}}
	req, err := http.NewRequestWithContext(p.t.Context(), "POST", strings.Replace(p.base, "https:", "http:", 1)+"/verify", strings.NewReader(token.Encode()))
	expect.OK(p.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := p.nodes[0].Client().Do(req)
	expect.OK(p.t, err)
	resp.Body.Close()
	expect.Equal(p.t, "verify", resp.StatusCode, http.StatusOK)
	return made["api_key"].(string)
}

// linkIn returns the first link to a path in a message.
func linkIn(text, path string) string {
	return regexp.MustCompile(`https://\S+` + regexp.QuoteMeta(path) + `\S*`).FindString(text)
}

// statuses has the answer of each node to a GET of each address.
func (p *precinct) statuses(addresses []string) (list []int) {
	p.t.Helper()
	for _, s := range p.nodes {
		for _, address := range addresses {
			status, _ := open(p.t, s, strings.Replace(address, "https:", "http:", 1))
			list = append(list, status)
		}
	}
	return list
}

// TestOneCaseInThreeClicks goes from the operator's message to a project that is down everywhere, with its bytes blocked and
// its reporter and owner told: the link of the message, the box that blocks the files, and the decision. The login, which the
// link asks for once in twelve hours, is not counted.
func TestOneCaseInThreeClicks(t *testing.T) {
	t.Parallel()
	p := newPrecinct(t)
	maker := p.joins("eve")
	p.joins("ada")
	admin(t, p.nodes[0], append([]string{"grant", "@ada", "moderator"}, p.flags...)...)
	page := map[string]any{"html": "<!doctype html><title>Parcel</title><p>Pay the fee for your parcel.</p>"}
	made := from(t, p.nodes[0], "203.0.113.5", "POST", "/v1/publish", maker, page)
	expect.Equal(t, "publish", made.StatusCode, http.StatusCreated)
	id := made.body["project_id"].(string)
	addresses := []string{
		made.body["url"].(string), made.body["path_url"].(string), made.body["version_url"].(string),
		made.body["page_url"].(string), p.base + "/v1/project/" + id, p.base + "/p/" + id + "/card.jpg",
	}
	p.goes("/report?project=" + id)
	p.presses("It deceives people")
	p.types("Your email", "rita@people.internal")
	p.presses("Send report")
	p.sees("Thank you")
	letter := p.letter("op@example.org", "Someone reported a project")
	for _, status := range p.statuses(addresses) {
		expect.Equal(t, "before the decision", status, http.StatusOK)
	}

	clicks := 1 // the link of the message
	p.goes(linkIn(letter, "/desk/"))
	p.types("Email", "ada@people.internal")
	p.presses("Email me a link")
	p.goes(linkIn(p.letter("ada@people.internal", "/login/link?token="), "/login/link"))
	p.presses("Log in")
	p.at("/desk/" + id)
	for _, name := range []string{"Block these files", "Take down"} {
		p.presses(name)
		clicks++
	}
	p.sees("Taken down: 1")
	answered := time.Now()
	testenv.Eventually(t, within, "every address to be 451 on both nodes", func() bool {
		return !slices.ContainsFunc(p.statuses(addresses), func(status int) bool { return status != http.StatusUnavailableForLegalReasons })
	})
	t.Logf("%d clicks; down everywhere %v after the answer", clicks, time.Since(answered))
	expect.Equal(t, "clicks", clicks, 3)

	for i, network := range []string{"198.51.100.7", "192.0.2.9", "2001:db8:77::1"} {
		page["email"] = fmt.Sprintf("other%d@people.internal", i)
		again := from(t, p.nodes[i%2], network, "POST", "/v1/publish", "", page)
		expect.Same(t, "the same bytes from "+network, []any{again.StatusCode, again.body["error"]}, []any{http.StatusUnavailableForLegalReasons, "taken_down"})
	}
	p.letter("rita@people.internal", "Others can no longer see the project")
	p.goes(linkIn(p.letter("eve@people.internal", "/object?code="), "/object"))
	p.types("Why is it wrong?", "It is a game about parcels.")
	p.presses("Send objection")
	p.sees("We got your objection")
	p.quiet()
}
