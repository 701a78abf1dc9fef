package oauth

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// limit is many times the length of a test.
const limit = 2 * time.Minute

// object is an object in JSON.
type object = map[string]any

// A site is the real program behind a proxy, which records the requests, and with a mail server. The program may start again: the proxy
// keeps the address by which programs and people know it.
type site struct {
	*testenv.Server
	base  string // without a slash at the end
	mails *mailbox

	mu   sync.Mutex
	seen []request
}

// A request is one that has come through the proxy.
type request struct {
	method, path, query, body string
	authorization             string
}

// start runs the program, with more arguments.
func start(t *testing.T, args ...string) *site {
	t.Helper()
	return startProgram(t, testenv.Binary(t), args...)
}

func startProgram(t *testing.T, program string, args ...string) *site {
	t.Helper()
	s := &site{mails: listen(t)}
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.pass(t, w, r) }))
	_, port, _ := strings.Cut(front.Listener.Addr().String(), ":")
	s.base = "http://localhost:" + port
	s.Server = testenv.Start(t, program, append([]string{"--base-url", s.base, "--smtp-url", "smtp://" + s.mails.addr}, args...)...)
	front.Start()
	t.Cleanup(front.Close)
	return s
}

func (s *site) pass(t *testing.T, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Errorf("the body of a client: %v", err)
	}
	s.mu.Lock()
	s.seen = append(s.seen, request{r.Method, r.URL.Path, r.URL.RawQuery, string(body), r.Header.Get("Authorization")})
	s.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	proxy := httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(&url.URL{Scheme: "http", Host: s.Addr()})
		p.Out.Host = p.In.Host
	}}
	proxy.ServeHTTP(w, r)
}

// requests returns those that have come since the last time.
func (s *site) requests() (list []request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, s.seen = s.seen, nil
	return list
}

// An answer is that to a request of HTTP.
type answer struct {
	status int
	header http.Header
	text   string
}

// send sends a request to the program itself, with pairs of names and values for its header, and follows no redirect. The body of a
// POST is a form where no type is given.
func (s *site) send(t *testing.T, method, path, body string, header ...string) answer {
	t.Helper()
	got, err := s.try(t, method, path, body, header...)
	expect.OK(t, err)
	return got
}

// try is send for requests that may fail, from any goroutine.
func (s *site) try(t *testing.T, method, path, body string, header ...string) (answer, error) {
	address := path
	if strings.HasPrefix(path, "/") {
		address = strings.Replace(s.base, "https:", "http:", 1) + path
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i+1] == "" {
			r.Header.Del(header[i])
		}
	}
	resp, err := s.Client().Transport.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(text)}, err
}

// post sends a form to an endpoint of OAuth. Pairs are names and values.
func (s *site) post(t *testing.T, path string, pairs ...string) answer {
	t.Helper()
	return s.send(t, "POST", path, form(pairs...).Encode())
}

// form makes a form of pairs of names and values.
func form(pairs ...string) url.Values {
	f := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Add(pairs[i], pairs[i+1])
	}
	return f
}

// json reads an answer that is an object in JSON.
func (a answer) json(t *testing.T) (o object) {
	t.Helper()
	if kind := a.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		t.Fatalf("an answer of the type %q: %d %s", kind, a.status, a.text)
	}
	expect.OK(t, json.Unmarshal([]byte(a.text), &o), a.text)
	return o
}

// isPage reports whether an answer shows a page, and leads nowhere.
func (a answer) isPage() bool {
	return a.header.Get("Location") == "" && strings.HasPrefix(a.header.Get("Content-Type"), "text/html")
}

// refusedAs fails the test unless an endpoint of programs refuses with that error of OAuth.
func (a answer) refusedAs(t *testing.T, about, code string) {
	t.Helper()
	if a.status < 400 || a.status > 499 || !strings.Contains(a.text, `"error":"`+code+`"`) {
		t.Errorf("%s: not %s but %d %s", about, code, a.status, a.text)
		return
	}
	expect.Equal(t, "Cache-Control for "+about, a.header.Get("Cache-Control"), "no-store")
	for name, value := range a.json(t) {
		if !slices.Contains([]string{"error", "error_description", "error_uri"}, name) {
			t.Errorf("%s: the answer has %s: %v", about, name, value)
		}
	}
}

func text(data object, name string) string {
	said, _ := data[name].(string)
	return said
}
