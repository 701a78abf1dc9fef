package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/testenv"
)

// sessionCookie is the name by which the service knows a login.
const sessionCookie = "__Host-session"

// authority is a certificate authority of the test's own, with a certificate of every name that the test uses.
type authority struct {
	pin  string // by which Chromium knows it
	cert tls.Certificate
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: []string{"site.test", "*.site.test", "*.toys.test"}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	spki, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(spki)
	return authority{base64.StdEncoding.EncodeToString(sum[:]), tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}}
}

// A mode is a way to keep projects apart, as an operator sets it up.
type mode struct {
	name     string
	base     string // without the port
	content  string // without the port; empty: as it comes
	args     []string
	isolated string // what the log says
}

// A ground is the real service in one mode with the proxy that every operator has in front of it. This one can take away what
// the service defends itself with, and sees what browsers ask for.
type ground struct {
	mode
	s       *testenv.Server
	base    string   // of the website
	cookies []string // the lines that log the visitor in
	victim  string   // the visitor's key
	mallory string   // the key of who publishes the hostile project
	sibling map[string]any
	hostile map[string]any

	met int // how often

	mu  sync.Mutex
	now *meeting
}

// A meeting is one visit to a hostile project.
type meeting struct {
	project map[string]any
	faults  []fault
	plan    map[string]any
	said    map[string]string
	click   bool
	over    bool
	done    chan struct{}
	seen    seen
	news    chan struct{} // is closed when more is seen
}

// seen is what the proxy has seen of a run.
type seen struct {
	Noted int      `json:"noted"` // how much of it all
	Posts int      `json:"posts"` // answers to forms of the site, the page's own heartbeats apart
	Beats int      `json:"beats"` // heartbeats of the site's page
	Shown []string `json:"shown"` // pages of the site that a browser really shows: they load their style sheet
	along []string // requests to the account's pages from elsewhere that had the visitor's login with them
}

func newGround(t *testing.T, m mode, ca authority) *ground {
	t.Helper()
	g := &ground{mode: m}
	front := httptest.NewUnstartedServer(g)
	port := front.Listener.Addr().String()
	port = port[strings.LastIndexByte(port, ':'):]
	g.base = m.base + port
	args := append([]string{"--base-url", g.base, "--trusted-proxies", "127.0.0.1"}, m.args...)
	if m.content != "" {
		args = append(args, "--content-host", m.content+port)
	}
	g.s = testenv.Start(t, testenv.Binary(t), args...)
	if strings.HasPrefix(g.base, "https:") {
		front.TLS = &tls.Config{Certificates: []tls.Certificate{ca.cert}}
		front.StartTLS()
	} else {
		front.Start()
	}
	t.Cleanup(front.Close)
	g.logIn(t)
	if want := "msg=isolation mode=" + m.isolated + " "; !strings.Contains(g.s.Logs(), want) {
		t.Errorf("the log lacks %q", want)
	}
	g.mallory = signUp(t, g.s)
	g.hostile = g.invade(t)
	g.sibling = g.publish(t, g.victim, "sibling.html", "worker.js")
	return g
}

// publish puts files of testdata on the ground as a project, whose first is the primary one.
func (g *ground) publish(t *testing.T, key string, names ...string) map[string]any {
	t.Helper()
	var project map[string]any
	for i, name := range names {
		content, err := os.ReadFile(filepath.Join("testdata", "hostile", name))
		if err != nil {
			t.Fatal(err)
		}
		path, fields := "/v1/update", map[string]any{"filename": name, "content": content}
		if i == 0 {
			path, fields = "/v1/publish", map[string]any{"content": content}
		} else {
			fields["project_id"] = project["project_id"]
		}
		status, answer := call(t, g.s, "POST", path, key, fields)
		if status >= 300 {
			t.Fatalf("%s: %d %v", name, status, answer)
		}
		if i == 0 {
			project = answer
		}
	}
	return project
}

// logIn makes the visitor's account, and keeps the lines by which the service logs a browser in.
func (g *ground) logIn(t *testing.T) {
	t.Helper()
	status, made := call(t, g.s, "POST", "/v1/signup", "", map[string]any{"handle": "victim", "email": "victim@mail.internal"})
	if status != http.StatusCreated {
		t.Fatalf("sign up: %d %v", status, made)
	}
	g.victim = made["api_key"].(string)
	g.press(t, "/verify", url.Values{"token": {g.mailed(t, "/verify?token=")}}, nil)
	asked := g.press(t, "/login", url.Values{"email": {"victim@mail.internal"}}, nil)
	in := g.press(t, "/login/link", url.Values{"token": {g.mailed(t, "/login/link?token=")}}, asked.Cookies())
	for _, line := range in.Header.Values("Set-Cookie") {
		if strings.HasPrefix(line, sessionCookie+"=") {
			g.cookies = append(g.cookies, line)
		}
	}
	if len(g.cookies) != 1 {
		t.Fatalf("logged in with %d and %v", in.StatusCode, in.Header)
	}
}

// press sends a form as the site's own page does.
func (g *ground) press(t *testing.T, path string, form url.Values, cookies []*http.Cookie) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", strings.Replace(g.base, "https:", "http:", 1)+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range cookies {
		req.AddCookie(c)
	}
	resp, err := g.s.Client().Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

// mailed waits for the message with a link and returns the link's token.
func (g *ground) mailed(t *testing.T, link string) string {
	t.Helper()
	token := ""
	testenv.Eventually(t, 30*time.Second, "a message with "+link, func() bool {
		messages, _ := filepath.Glob(filepath.Join(g.s.Data(), "mail", "[^.]*.eml")) // none that is being written
		for _, name := range messages {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			plain := strings.NewReplacer("=\r\n", "", "=\n", "", "=3D", "=").Replace(string(text))
			if _, rest, ok := strings.Cut(plain, link); ok {
				token, _, _ = strings.Cut(strings.Fields(rest)[0], `"`)
				return true
			}
		}
		return false
	})
	return token
}

// invade publishes the hostile project.
func (g *ground) invade(t *testing.T) map[string]any {
	t.Helper()
	return g.publish(t, g.mallory, "index.html", "attack.js", "worker.js", "note.txt", "owned.js")
}

// start begins a run.
func (g *ground) start(t *testing.T, place string, attempts []string, patience time.Duration, faults []fault) *meeting {
	t.Helper()
	p := g.hostile
	if len(faults) > 0 && slices.Contains(attempts, "likes") {
		p = g.invade(t) // a visitor likes a project once
	}
	id := p["project_id"].(string)
	path := func(id any) string { return g.base + "/~/" + id.(string) + "/" }
	r := &meeting{project: p, faults: faults, said: map[string]string{}, done: make(chan struct{}), news: make(chan struct{}), seen: seen{Shown: []string{}}}
	g.met++
	r.plan = map[string]any{
		"base": g.base, "id": id, "own": p["url"], "path": path(id), "sibling": g.sibling["url"], "siblingPath": path(g.sibling["project_id"]), "place": place,
		"attempts": attempts, "patience": patience.Milliseconds(), "session": r.sessionName(), "wish": "owned-" + strconv.Itoa(g.met),
	}
	g.mu.Lock()
	g.now = r
	g.mu.Unlock()
	return r
}

func (r *meeting) sessionName() string {
	for _, f := range r.faults {
		if f.session != "" {
			return f.session
		}
	}
	return sessionCookie
}

// ServeHTTP is the proxy in front of the service, and answers the hostile page's questions to the test.
func (g *ground) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	g.mu.Lock()
	r := g.now
	g.mu.Unlock()
	switch path := req.URL.Path; {
	case strings.HasSuffix(path, "/__said"):
		g.hear(r, req)
		w.WriteHeader(http.StatusNoContent)
	case strings.HasSuffix(path, "/__plan"):
		tell(w, r.plan)
	case strings.HasSuffix(path, "/__truth"):
		g.awaitNews(req, r)
		tell(w, g.truth(req.Context(), r))
	case path == "/__login":
		for _, line := range g.cookies {
			w.Header().Add("Set-Cookie", r.cookie(line))
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>logged in</title>")
	default:
		g.pass(w, req, r)
	}
}

// tell answers a script, also one in a sandbox.
func tell(w http.ResponseWriter, answer any) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (g *ground) hear(r *meeting, req *http.Request) {
	var said struct{ Name, Took string }
	if json.NewDecoder(req.Body).Decode(&said) != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case said.Name == "!click":
		r.click = true
	case said.Name == "!done" && !r.over:
		r.over = true
		close(r.done)
	case said.Name != "!done":
		r.said[said.Name] = said.Took
	}
}

// awaitNews lets a script that knows some of what has been seen wait for more, within a time. So it need not ask all the time, which would
// keep browser, proxy and service busy.
func (g *ground) awaitNews(req *http.Request, r *meeting) {
	noted, err := strconv.Atoi(req.FormValue("noted"))
	if err != nil {
		return
	}
	within, err := time.ParseDuration(req.FormValue("within") + "ms")
	if err != nil {
		return
	}
	g.mu.Lock()
	known, news := r.seen.Noted > noted, r.news
	g.mu.Unlock()
	if known {
		return
	}
	select {
	case <-news:
	case <-time.After(within):
	case <-req.Context().Done():
	}
}

// truth is what has really happened to the service.
func (g *ground) truth(ctx context.Context, r *meeting) map[string]any {
	victim := apiOf(g.s, g.victim)
	stats, _ := victim.Stats(ctx, r.plan["id"].(string))
	who, _ := victim.WhoAmI(ctx, 1)
	g.mu.Lock()
	defer g.mu.Unlock()
	return map[string]any{"likes": stats.Likes, "handle": who.Handle, "noted": r.seen.Noted, "posts": r.seen.Posts, "beats": r.seen.Beats, "shown": slices.Clone(r.seen.Shown)}
}

// pass hands a request to the service, and its answer to the browser, without what the run takes away.
func (g *ground) pass(w http.ResponseWriter, req *http.Request, r *meeting) {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host = "http", g.s.Addr()
			p.SetXForwarded()
			p.Out.Header.Del("Accept-Encoding")
			if name := r.sessionName(); name != sessionCookie {
				renamed := strings.ReplaceAll(strings.Join(p.Out.Header.Values("Cookie"), "; "), name+"=", sessionCookie+"=")
				p.Out.Header.Set("Cookie", renamed)
			}
			for _, f := range r.faults {
				if f.request != nil {
					f.request(p.Out)
				}
			}
		},
		ModifyResponse: func(resp *http.Response) error {
			g.note(req, r)
			if strings.HasPrefix(req.URL.Path, "/static/") {
				resp.Header.Set("Cache-Control", "no-store") // so that every page is seen to load it
			}
			return r.spoil(resp, req)
		},
	}
	proxy.ServeHTTP(w, req)
}

// note keeps the evidence of an attempt's success.
func (g *ground) note(req *http.Request, r *meeting) {
	onSite := strings.HasPrefix(g.base, "http://"+req.Host) || strings.HasPrefix(g.base, "https://"+req.Host)
	if !onSite {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	path, fetched := req.URL.Path, req.Header.Get("Sec-Fetch-Site")
	foreign := fetched == "cross-site" || fetched == "same-site"
	if strings.HasPrefix(path, "/account") && foreign && strings.Contains(req.Header.Get("Cookie"), r.sessionName()+"=") &&
		(req.Method != "GET" || req.Header.Get("Sec-Fetch-Dest") != "document") {
		r.seen.along = append(r.seen.along, req.Method+" "+path+" as "+req.Header.Get("Sec-Fetch-Dest"))
	}
	switch {
	case req.Method == "POST" && path == "/p/"+r.plan["id"].(string)+"/heartbeat":
		r.seen.Beats++
	case req.Method == "POST" && !strings.HasSuffix(path, "/heartbeat"):
		r.seen.Posts++
	case path == "/static/site.css":
		r.seen.Shown = append(r.seen.Shown, req.Referer())
	default:
		return
	}
	r.seen.Noted++
	close(r.news)
	r.news = make(chan struct{})
}

// spoil takes the run's faults to an answer.
func (r *meeting) spoil(resp *http.Response, req *http.Request) error {
	for _, f := range r.faults {
		if f.response != nil {
			f.response(resp.Header, req)
		}
		if f.body == nil || !strings.HasPrefix(resp.Header.Get("Content-Type"), f.bodyType) {
			continue
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return fmt.Errorf("spoil: %w", err)
		}
		resp.Body.Close()
		body = f.body(body)
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		resp.Header.Set("Content-Length", fmt.Sprint(len(body)))
	}
	return nil
}

// cookie takes the run's faults to a line that sets a cookie.
func (r *meeting) cookie(line string) string {
	for _, f := range r.faults {
		if f.cookie != nil {
			line = f.cookie(line)
		}
	}
	return line
}
