package deploy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	api "sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A site is an instance behind a proxy.
type site struct {
	*front
	server *testenv.Server
	data   string     // its folder
	once   api.Answer // its first project
}

const game = "<!doctype html><title>Marbles</title><p>A game of marbles, which is long enough to be stored compressed.</p>"

// open starts an instance and a proxy in front of it, and publishes a project.
func open(t *testing.T, k kind) *site {
	t.Helper()
	return openWith(t, k, strings.Repeat(game, 100))
}

// openWith is open with a page of the test's own, and settings.
func openWith(t *testing.T, k kind, page string, flags ...string) *site {
	t.Helper()
	at := testenv.Port(t)
	s := &site{data: t.TempDir()}
	if i := slices.Index(flags, "--data"); i >= 0 {
		s.data = flags[i+1]
	}
	s.server = testenv.Start(t, testenv.Binary(t), append([]string{
		"--listen", at, "--base-url", "https://" + website, "--content-host", contentHost,
		"--trusted-proxies", "127.0.0.1", "--disk-limit", "100", "--data", s.data,
	}, flags...)...)
	s.front = start(t, k, "one", "", at)
	s.once = s.publish(t, strings.NewReader(page))
	return s
}

// publish sends a page as a form, so that no byte of it is encoded.
func (s *site) publish(t *testing.T, page io.Reader) api.Answer {
	t.Helper()
	in, out := io.Pipe()
	form := multipart.NewWriter(out)
	go func() {
		err := form.WriteField("email", "kim@sandlot-tests.org")
		var part io.Writer
		if err == nil {
			part, err = form.CreateFormFile("content", "index.html")
		}
		if err == nil {
			_, err = io.Copy(part, page)
		}
		if err == nil {
			err = form.Close()
		}
		out.CloseWithError(err)
	}()
	base, err := url.Parse("https://" + website)
	expect.OK(t, err)
	c := &api.Client{Base: base, HTTP: s.client}
	a, err := c.Send(t.Context(), api.Request{Call: "publish", ContentType: form.FormDataContentType(), Body: in})
	expect.OK(t, err)
	return a
}

// TestAnInstanceServesBehindEachProxy with the files of deploy/one.
func TestAnInstanceServesBehindEachProxy(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.program, func(t *testing.T) {
			t.Parallel()
			s := open(t, k)
			t.Run("both hosts over HTTP/2", s.hosts)
			t.Run("a refusal comes before the body is sent", s.refusal)
			t.Run("a body with pauses", func(t *testing.T) { s.slow(t, 3, 200*time.Millisecond) })
			t.Run("compressed files stay as they were stored", s.compressed)
			t.Run("events", func(t *testing.T) { s.events(t, 0) })
			t.Run("the tools of an agent", s.tools)
			t.Run("a restart", s.restart)
		})
	}
}

// TestSoakAnInstanceServesBehindEachProxy what takes its time.
func TestSoakAnInstanceServesBehindEachProxy(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.program, func(t *testing.T) {
			t.Parallel()
			s := open(t, k)
			t.Run("100 MB", s.large)
			t.Run("a minute of a body with pauses", func(t *testing.T) { s.slow(t, 12, 5*time.Second) })
			t.Run("events for 100 s", func(t *testing.T) { s.events(t, 100*time.Second) })
		})
	}
}

func (s *site) hosts(t *testing.T) {
	for _, at := range []string{"https://" + website + "/", s.once.URL} {
		resp := s.do(t, "GET", at, nil)
		expect.Equal(t, at, resp.StatusCode, http.StatusOK)
		expect.Equal(t, "HTTP of "+at, resp.ProtoMajor, 2)
		text := read(t, resp)
		expect.Equal(t, at+" is the project", text == strings.Repeat(game, 100), at == s.once.URL)
	}
}

// tools publishes and changes a project by an official client of MCP, under the public Host.
func (s *site) tools(t *testing.T) {
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: "https://" + website + "/mcp", HTTPClient: s.client, MaxRetries: -1}, nil)
	expect.OK(t, err)
	defer session.Close()
	call := func(name string, arguments map[string]any) map[string]any {
		t.Helper()
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		expect.OK(t, err, name)
		data, _ := got.StructuredContent.(map[string]any)
		if got.IsError || data == nil {
			t.Fatalf("%s: %v", name, got)
		}
		return data
	}
	made := call("publish", map[string]any{"html": game})
	call("update", map[string]any{
		"project": made["project"], "edit_token": made["edit_token"],
		"edits": []any{map[string]any{"filename": "index.html", "old": "Marbles", "new": "Glass Marbles"}},
	})
	at, _ := made["url"].(string)
	expect.Contains(t, "the page at "+at, read(t, s.do(t, "GET", at, nil)), "Glass Marbles")
}

func (s *site) compressed(t *testing.T) {
	testenv.Eventually(t, stuck, "a compressed page", func() bool {
		resp := s.do(t, "GET", s.once.URL, nil, "Accept-Encoding", "br")
		return resp.Header.Get("Content-Encoding") == "br" && strings.HasPrefix(resp.Header.Get("ETag"), `"`)
	})
	plain := s.do(t, "GET", s.once.URL, nil, "Accept-Encoding", "identity")
	expect.Equal(t, "encoding", plain.Header.Get("Content-Encoding"), "")
}

// refusal sends a body of which Sandlot reads nothing.
func (s *site) refusal(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), "POST", "https://"+website+"/v1/publish", io.LimitReader(zeros{}, 8<<20))
	expect.OK(t, err)
	req.Header.Set("Authorization", "Bearer nobody")
	req.Header.Set("Content-Type", "application/zip")
	resp, err := s.client.Do(req)
	expect.OK(t, err)
	defer resp.Body.Close()
	expect.Equal(t, "status", resp.StatusCode, http.StatusUnauthorized)
	expect.Contains(t, "the answer", read(t, resp), `"invalid_key"`)
}

// paused reads in pieces with a pause before each.
type paused struct {
	t     *testing.T
	from  io.Reader
	pause time.Duration
}

func (p paused) Read(b []byte) (int, error) {
	testenv.Wait(p.t, p.pause, "a client that pauses")
	return p.from.Read(b[:min(len(b), 16<<10)])
}

func (s *site) slow(t *testing.T, pieces int, pause time.Duration) {
	page := strings.Repeat(game, pieces*16<<10/len(game))
	a := s.publish(t, paused{t, strings.NewReader(page), pause})
	expect.Equal(t, "the page is whole", read(t, s.do(t, "GET", a.URL, nil)) == page, true)
}

func (s *site) large(t *testing.T) {
	const size = 100 << 20
	head, sum := []byte("<!doctype html>"), sha256.New()
	noise := rand.NewChaCha8([32]byte{1})
	page := io.TeeReader(io.MultiReader(bytes.NewReader(head), io.LimitReader(noise, size-int64(len(head)))), sum)
	a := s.publish(t, page)
	got := sha256.New()
	resp, err := s.client.Get(a.URL)
	expect.OK(t, err)
	defer resp.Body.Close()
	n, err := io.Copy(got, resp.Body)
	expect.OK(t, err)
	expect.Equal(t, "bytes", n, size)
	expect.Equal(t, "their hash", fmt.Sprintf("%x", got.Sum(nil)), fmt.Sprintf("%x", sum.Sum(nil)))
}

// events follows the counts of a project: the first come at once, and after that time a play arrives within seconds.
func (s *site) events(t *testing.T, after time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), after+stuck)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", "https://"+website+"/p/"+s.once.ProjectID+"/live", nil)
	expect.OK(t, err)
	resp, err := s.client.Do(req)
	expect.OK(t, err)
	defer resp.Body.Close()
	expect.Equal(t, "type", resp.Header.Get("Content-Type"), "text/event-stream")
	lines := bufio.NewScanner(resp.Body)
	begun := time.Now()
	first := event(t, lines)
	silent := time.AfterFunc(after, func() {
		play, err := http.NewRequestWithContext(ctx, "GET", s.once.URL, nil)
		if err != nil {
			return
		}
		play.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) "+t.Name())
		if resp, err := s.client.Do(play); err == nil {
			resp.Body.Close()
		}
	})
	defer silent.Stop()
	second := event(t, lines)
	if second == first || time.Since(begun) < after {
		t.Errorf("after %v comes %s, and before that %s", time.Since(begun), second, first)
	}
}

// event returns the next event; comments, by which a silent stream stays open, are none.
func event(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return data
		}
	}
	t.Fatalf("the stream ended: %v", lines.Err())
	return ""
}

// restart stops Sandlot behind the proxy. Meanwhile visitors get an answer, or wait for a few seconds; afterwards everything is as before.
func (s *site) restart(t *testing.T) {
	s.server.Stop(t)
	answered := make(chan error, 1)
	go func() {
		resp, err := s.client.Get(s.once.URL)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK && resp.StatusCode/100 != 5 {
				err = fmt.Errorf("status %d", resp.StatusCode)
			}
		}
		answered <- err
	}()
	s.server.Restart(t)
	expect.OK(t, <-answered)
	testenv.Eventually(t, stuck, "the project", func() bool { return s.do(t, "GET", s.once.URL, nil).StatusCode == http.StatusOK })
	s.publish(t, strings.NewReader(game))
}
