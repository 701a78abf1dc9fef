package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// asks sends a request to the server's own host, or to another, with headers in turns of name and value.
func asks(t *testing.T, s *testenv.Server, method, path, host string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, nil)
	expect.OK(t, err)
	r.Host = host
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := s.Client().Do(r)
	expect.OK(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	return resp, string(body)
}

// TestEveryDocumentIsServed by the real program, with its type, to GET and HEAD, on the website's own host alone.
func TestEveryDocumentIsServed(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--security-contact", "security@example.com")
	for path, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/docs": "text/html; charset=utf-8", "/docs/projects": "text/html; charset=utf-8", "/docs/agents": "text/html; charset=utf-8", "/docs/errors": "text/html; charset=utf-8",
		"/llms.txt": "text/plain; charset=utf-8", "/llms-full.txt": "text/plain; charset=utf-8", "/robots.txt": "text/plain; charset=utf-8", "/.well-known/security.txt": "text/plain; charset=utf-8",
		"/skill.md": "text/markdown; charset=utf-8", "/docs.md": "text/markdown; charset=utf-8", "/docs/projects.md": "text/markdown; charset=utf-8", "/.well-known/agent-skills/sandlot/SKILL.md": "text/markdown; charset=utf-8",
		"/.well-known/agent-skills/index.json": "application/json", "/v1": "application/json", "/sitemap.xml": "application/xml", "/openapi.yaml": "application/yaml",
	} {
		resp, body := asks(t, s, "GET", path, "localhost")
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != kind || body == "" {
			t.Errorf("%s: %d %s, %d bytes", path, resp.StatusCode, resp.Header.Get("Content-Type"), len(body))
		}
		expect.Contains(t, path+" leads to the documents", resp.Header.Get("Link"), `/llms.txt>; rel="help"`)
		expect.Contains(t, path+" leads to the description", resp.Header.Get("Link"), `/openapi.json>; rel="service-desc"`)
		head, none := asks(t, s, "HEAD", path, "localhost")
		if head.StatusCode != http.StatusOK || head.Header.Get("Content-Type") != kind || none != "" {
			t.Errorf("HEAD %s: %d %s", path, head.StatusCode, head.Header.Get("Content-Type"))
		}
		elsewhere, _ := asks(t, s, "GET", path, "other.example")
		answers := strings.HasPrefix(path, "/v1") || strings.HasPrefix(path, "/openapi")
		expect.Equal(t, path+" under another name is answered", elsewhere.StatusCode == http.StatusOK, answers)
		expect.Equal(t, path+" under another name is refused", elsewhere.StatusCode == http.StatusMisdirectedRequest, !answers)
		project, _ := asks(t, s, "GET", path, "nothing-abc123.localhost")
		expect.Equal(t, path+" of a project that is not there", project.StatusCode, http.StatusNotFound)
	}
	for path, status := range map[string]int{"/docs/nothing": 404, "/docs/nothing.md": 404, "/docs/": 404, "/llms.txt/": 404, "/.well-known/nothing": 404, "/v1/": 404} {
		resp, _ := asks(t, s, "GET", path, "localhost")
		expect.Equal(t, path, resp.StatusCode, status)
	}
	for _, path := range []string{"/llms.txt", "/sitemap.xml", "/docs.md"} {
		resp, _ := asks(t, s, "POST", path, "localhost")
		expect.Equal(t, "POST "+path, resp.StatusCode, http.StatusMethodNotAllowed)
	}
}

// TestOnlyWhatMayBeListedIsInTheSitemap of a public instance: nothing of an account whose address is not verified.
func TestOnlyWhatMayBeListedIsInTheSitemap(t *testing.T) {
	t.Parallel()
	bin := testenv.Binary(t)
	for base, listed := range map[string]bool{"": true, "http://play.example.com": false} {
		var args []string
		host := "localhost"
		if base != "" {
			args, host = []string{"--base-url", base, "--content-host", "example.net"}, "play.example.com"
		}
		s := testenv.Start(t, bin, args...)
		r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL()+"/v1/publish", strings.NewReader(`{"email":"me@mail.internal","title":"Wick","content":"PGgxPkhpPC9oMT4="}`))
		expect.OK(t, err)
		resp, err := s.Client().Do(r)
		expect.OK(t, err)
		resp.Body.Close()
		_, text := asks(t, s, "GET", "/sitemap.xml", host)
		expect.Equal(t, base+" lists it", strings.Contains(text, "/p/wick-"), listed)
	}
}
