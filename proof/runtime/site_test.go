package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// limit is the longest wait of a test.
const limit = time.Minute

// object is an object in JSON.
type object = map[string]any

// A site is the running program with an account.
type site struct {
	*testenv.Server
	key string
}

// start runs the program, with more arguments, and signs up. Accounts are not quarantined unless an argument says so.
func start(t *testing.T, args ...string) *site {
	t.Helper()
	return signUp(t, testenv.Start(t, testenv.Binary(t), append([]string{"--quarantine", "off"}, args...)...))
}

// signUp returns a running program with a new account.
func signUp(t *testing.T, server *testenv.Server) *site {
	t.Helper()
	s := &site{Server: server}
	made := s.api(t, "POST", "/v1/signup", "{}")
	expect.Equal(t, "status of signup", made.status, http.StatusCreated)
	s.key = made.text(t, "api_key")
	return s
}

// base returns the address of the program's website.
func (s *site) base() string { return strings.Replace(s.URL(), "127.0.0.1", "localhost", 1) }

// An answer is the answer to an HTTP request.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request to the program, for any host, with pairs of names and values for its header.
func (s *site) send(t testing.TB, method, address, body string, header ...string) answer {
	t.Helper()
	got, err := s.try(t, method, address, body, header...)
	expect.OK(t, err, method, address)
	return got
}

// try is send for requests that may fail. Any goroutine may call it.
func (s *site) try(t testing.TB, method, address, body string, header ...string) (answer, error) {
	r, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader([]byte(body)))
	if err != nil {
		return answer{}, err
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := s.Client().Transport.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(text)}, err
}

// api calls the API with the account's key.
func (s *site) api(t testing.TB, method, path, body string) answer {
	t.Helper()
	header := []string{"Content-Type", "application/json"}
	if s.key != "" {
		header = append(header, "Authorization", "Bearer "+s.key)
	}
	return s.send(t, method, s.URL()+path, body, header...)
}

// json returns the JSON object of an answer.
func (a answer) json(t testing.TB) (o object) {
	t.Helper()
	if kind := a.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		t.Fatalf("an answer of the type %q: %d %s", kind, a.status, a.body)
	}
	expect.OK(t, json.Unmarshal([]byte(a.body), &o), a.body)
	return o
}

// text returns the text of a field of a JSON answer; "" for another type.
func (a answer) text(t testing.TB, name string) string {
	t.Helper()
	said, _ := a.json(t)[name].(string)
	return said
}

// refused fails the test unless an answer is an error with that status, one of the codes, a message and a hint.
func (a answer) refused(t testing.TB, about string, status int, codes ...string) {
	t.Helper()
	if a.status != status {
		t.Errorf("%s: %d, not %d: %s", about, a.status, status, brief(a.body))
		return
	}
	if !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		t.Errorf("%s: the refusal is no JSON: %s", about, brief(a.body))
		return
	}
	var said struct {
		Error, Message, Hint, Reason string
		Status                       int
		RetryAfter                   float64 `json:"retry_after"`
	}
	expect.OK(t, json.Unmarshal([]byte(a.body), &said), a.body)
	if said.Message == "" || said.Hint == "" || said.Status != status || said.Reason != said.Error {
		t.Errorf("%s: the refusal lacks something: %s", about, brief(a.body))
	}
	if status == http.StatusTooManyRequests && said.RetryAfter <= 0 {
		t.Errorf("%s: the refusal has no retry_after: %s", about, brief(a.body))
	}
	for _, code := range codes {
		if said.Error == code {
			return
		}
	}
	if len(codes) > 0 {
		t.Errorf("%s: the code is %s, not %v: %s", about, said.Error, codes, said.Message)
	}
}

func brief(text string) string { return text[:min(len(text), 600)] }

// A project is a project of the account.
type project struct {
	s                       *site
	id, url, path, page, at string // at is the address of version 1
}

// sent returns files as a call brings them: bytes that are no text are encoded.
func sent(files map[string]string) (list []object) {
	for name, text := range files {
		if utf8.ValidString(text) {
			list = append(list, object{"filename": name, "text": text})
		} else {
			list = append(list, object{"filename": name, "content": []byte(text)})
		}
	}
	return list
}

// publish publishes files with an index.html.
func (s *site) publish(t testing.TB, title string, files map[string]string) project {
	t.Helper()
	body, err := json.Marshal(object{"title": title, "files": sent(files)})
	expect.OK(t, err)
	made := s.api(t, "POST", "/v1/publish", string(body))
	if made.status != http.StatusCreated {
		t.Fatalf("publish: %d %s", made.status, made.body)
	}
	return project{
		s, made.text(t, "project_id"), made.text(t, "url"), made.text(t, "path_url"), made.text(t, "page_url"), made.text(t, "version_url"),
	}
}

// blank publishes a page that does nothing.
func (s *site) blank(t testing.TB) project {
	t.Helper()
	return s.publish(t, "Tide Pools", map[string]string{"index.html": "<!doctype html><title>Tide Pools</title><p>Tide"})
}

// owner calls an endpoint of the project's owner.
func (p project) owner(t testing.TB, method, path, body string) answer {
	t.Helper()
	return p.s.api(t, method, "/v1/project/"+p.id+path, body)
}

// A player is a program with a token, without a browser.
type player struct {
	project
	token string
	since string // the stamp of the stay
	from  string // the claimed network, for a program with --trusted-proxies
}

// tokenOf returns the token of a name.
func tokenOf(name string) string {
	return fmt.Sprintf("player-%s-%s", name, strings.Repeat("0", 26))[:34]
}

// player returns the player of that name.
func (p project) player(name string) *player { return &player{project: p, token: tokenOf(name)} }

// does calls a door of the project.
func (p *player) does(t testing.TB, method, path, body string, header ...string) answer {
	t.Helper()
	got, err := p.tries(t, method, path, body, header...)
	expect.OK(t, err, method, path)
	return got
}

func (p *player) tries(t testing.TB, method, path, body string, header ...string) (answer, error) {
	all := []string{"Content-Type", "application/json"}
	if p.token != "" {
		all = append(all, "X-Sandlot-Player", p.token)
	}
	if p.from != "" {
		all = append(all, "X-Forwarded-For", p.from)
	}
	return p.s.try(t, method, p.url+".sandlot/"+path, body, append(all, header...)...)
}

// enters begins a stay.
func (p *player) enters(t testing.TB) *player {
	t.Helper()
	got := p.does(t, "GET", "player", "")
	if got.status != http.StatusOK {
		t.Fatalf("enter: %d %s", got.status, got.body)
	}
	p.since = got.text(t, "since")
	return p
}

// scores sends a score until the player's stay is long enough. Pairs are more fields.
func (p *player) scores(t testing.TB, board string, score any, pairs ...string) answer {
	t.Helper()
	if p.since == "" {
		p.enters(t)
	}
	fields := object{"score": score, "since": p.since}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	body, err := json.Marshal(fields)
	expect.OK(t, err)
	var got answer
	testenv.Eventually(t, limit, "the score counts", func() bool {
		got = p.does(t, "POST", "scores/"+board, string(body))
		return got.status != http.StatusTooManyRequests || !strings.Contains(got.body, `"too_early"`)
	})
	return got
}

// quick lets scores of a board count at once. Another player's score makes the board first.
func (p project) quick(t testing.TB, board string) {
	t.Helper()
	expect.Equal(t, "status of the first score", p.player("first-"+board).scores(t, board, 1).status, http.StatusOK)
	got := p.owner(t, "PATCH", "/boards/"+board, `{"min_seconds":0}`)
	if got.status != http.StatusOK {
		t.Fatalf("min_seconds: %d %s", got.status, got.body)
	}
}
