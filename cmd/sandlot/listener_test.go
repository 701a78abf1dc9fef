package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// raw sends text as it is and returns the answer and its body.
func raw(t *testing.T, addr, text string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	expect.OK(t, err)
	defer conn.Close()
	expect.OK(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	go func() { _, _ = io.WriteString(conn, text) }() // the server may answer and close before it read all
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	expect.OK(t, err, "no answer")
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	expect.OK(t, err, "the answer breaks off")
	return resp, string(body)
}

// TestTheRealListener sends the built binary what a careful client would not.
func TestTheRealListener(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	get := func(path, host string, lines ...string) string {
		return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n", path, host, strings.Join(append(lines, ""), "\r\n"))
	}
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprintf("X-%d: 1", i)
	}
	post := func(headers, body string) string {
		return "POST /v1/signup HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n" + headers + "\r\n" + body
	}
	for _, tc := range []struct {
		name, request string
		status        int
		body          string
	}{
		{"85 a page under a foreign Host", get("/", "evil.com"), 421, "misdirected"},
		{"85 the API under a foreign Host", get("/v1/whoami", "evil.com"), 401, "key_required"},
		{"85 an absolute-form URI", get("http://evil.com/v1/whoami", "evil.com"), 421, "misdirected"},
		{"85 X-Forwarded-Host is ignored", get("/v1/whoami", "localhost", "X-Forwarded-Host: evil.com"), 401, "curl http://localhost"},
		{"87 a header of 1 MB", get("/v1/whoami", "localhost", "X-Big: "+strings.Repeat("x", 1<<20)), 431, ""},
		{"87 a value of 10 KB", get("/v1/whoami", "localhost", "Authorization: Bearer "+strings.Repeat("x", 10<<10)), 431, "header_too_large"},
		{"87 1,000 headers", get("/v1/whoami", "localhost", many...), 431, ""},
		{"87 a NUL in a header", get("/v1/whoami", "localhost", "X-Bad: a\x00b"), 400, ""},
		{"90 If-None-Match of 1 MB", get("/", "x-abc123.localhost", "If-None-Match: "+strings.Repeat(`"x",`, 1<<18)), 431, ""},
		{"92 a raw address has no pages", get("/", "127.0.0.1"), 421, "misdirected"},
		{"92 a raw address has the API", get("/v1/whoami", "127.0.0.1"), 401, "key_required"},
		{"92 an unknown sub-domain", get("/", "nobody-000000.localhost"), 404, ""},
		{"33 two lengths", post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"), 400, ""},
		{"33 a length beside chunks: the chunks count, and the connection ends", post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n"), 201, "api_key"},
		{"33 a length too short", post("Content-Length: 1\r\n", "{}"), 400, "invalid_json"},
		{"83 TRACE", "TRACE /v1/whoami HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 405, "method_not_allowed"},
		{"93 a websocket upgrade is ignored", get("/healthz", "localhost", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="), 200, "ok"},
		{"83 POST on a path that is only read", "POST /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 405, "method_not_allowed"},
		{"83 POST on a project's page", "POST /p/x-abc123 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 405, ""},
		{"no route has the metrics of another listener", get("/healthz", "whatever.example"), 200, "ok"},
		{"readiness", get("/readyz", "localhost"), 200, "ok"},
		{"metrics", get("/metrics", "localhost"), 200, "sandlot_http_requests_total"},
		{"the document", get("/openapi.yaml", "any.example"), 200, "openapi: 3.1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			resp, body := raw(t, s.Addr(), tc.request)
			if resp.StatusCode != tc.status || !strings.Contains(body, tc.body) {
				t.Errorf("got %d with %.300q, want %d with %q", resp.StatusCode, body, tc.status, tc.body)
			}
			for _, never := range []string{"Set-Cookie", "Server", "X-Powered-By"} {
				if resp.Header.Get(never) != "" {
					t.Errorf("the answer has %s", never)
				}
			}
		})
	}
}

func TestRefusalsOnAProjectsOriginHaveItsHeaders(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	resp, _ := raw(t, s.Addr(), "GET / HTTP/1.1\r\nHost: x-abc123.localhost\r\nConnection: close\r\nX-Big: "+strings.Repeat("x", 9<<10)+"\r\n\r\n")
	if resp.StatusCode != 431 || resp.Header.Get("Content-Security-Policy") == "" || resp.Header.Get("Origin-Agent-Cluster") != "?1" {
		t.Errorf("got %d with %v", resp.StatusCode, resp.Header)
	}
}

func TestRegressionM29APageOfAnotherSiteNeedsAKeyOnALocalInstance(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	form := "--x\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\nkim@example.com\r\n--x\r\nContent-Disposition: form-data; name=\"content\"; filename=\"index.html\"\r\n\r\n<h1>Cats</h1>\r\n--x--\r\n"
	for headers, want := range map[string]int{
		"":                                 201,
		"Origin: http://localhost:3000":    201,
		"Sec-Fetch-Site: cross-site":       401,
		"Origin: https://evil.example.com": 401,
		"Origin: null":                     401,
		"Origin: https://evil.example.com\r\nAuthorization: Bearer " + key: 201,
	} {
		if headers != "" {
			headers += "\r\n"
		}
		resp, body := raw(t, s.Addr(), fmt.Sprintf("POST /v1/publish HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: %d\r\n%s\r\n%s", len(form), headers, form))
		if resp.StatusCode != want || want == 401 && !strings.Contains(body, "key_required") {
			t.Errorf("with %q: %d with %.200s, wanted %d", headers, resp.StatusCode, body, want)
		}
	}
	if resp, _ := raw(t, s.Addr(), "GET /v1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nSec-Fetch-Site: cross-site\r\n\r\n"); resp.StatusCode != 200 {
		t.Errorf("a read is %d", resp.StatusCode)
	}
}

func TestRegressionM30AKeyAsTheMethodReachesNoLog(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	const key = "sla_o3BgYA80f3ff6XFdSJqHI4AOjmIeaS1nKege"
	for _, host := range []string{"localhost", "space-cats-0a1b2c.localhost"} {
		raw(t, s.Addr(), key+" /v1/whoami HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
	}
	expect.Equal(t, "exit code", s.Stop(t), 0)
	if logs := s.Logs(); strings.Contains(logs, key[4:20]) || strings.Count(logs, "method=<key>") != 2 {
		t.Errorf("the log has the key, or not both requests:\n%s", logs)
	}
}

func TestQueriesAndKeysNeverReachTheLogOfTheBinary(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--log-level", "debug")
	const key = "sla_o3BgYA80f3ff6XFdSJqHI4AOjmIeaS1nKege"
	for _, request := range []string{
		"GET /v1/whoami?api_key=" + key + " HTTP/1.1\r\nHost: localhost\r\n",
		"GET /v1/project/" + key + " HTTP/1.1\r\nHost: localhost\r\n",
		"GET /v1/whoami HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key + "\r\n",
		"GET / HTTP/1.1\r\nHost: " + key + ".localhost\r\n",
		"GET /v1/project/" + key[:34] + " HTTP/1.1\r\nHost: localhost\r\n",
		"GET /verify?token=canary-token HTTP/1.1\r\nHost: localhost\r\n",
		"GET / HTTP/1.1\r\nHost: space-cats-0a1b2c--v2-secret0123.localhost\r\n",
		"GET / HTTP/1.1\r\nHost: SPACE-CATS-0A1B2C--V2-SECRET0123.localhost\r\nX-Big: " + strings.Repeat("x", 9<<10) + "\r\n",
	} {
		raw(t, s.Addr(), request+"Connection: close\r\n\r\n")
	}
	expect.Equal(t, "exit code", s.Stop(t), 0)
	logs := s.Logs()
	for _, never := range []string{key[4:20], "api_key=", "canary-token", "secret0123"} {
		if strings.Contains(strings.ToLower(logs), strings.ToLower(never)) {
			t.Errorf("the log has %q", never)
		}
	}
	if n := strings.Count(logs, "msg=request"); n != 8 || !strings.Contains(logs, "host=space-cats-0a1b2c--v2-<secret>.localhost") {
		t.Errorf("the log has %d lines for 8 requests, or not the project's name:\n%s", n, logs)
	}
}

func TestMetricsOnAListenerOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--metrics-listen", "127.0.0.1:0")
	resp, err := s.Client().Get(s.URL() + "/metrics")
	expect.OK(t, err)
	resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		t.Error("the public listener still has the metrics")
	}
	_, rest, _ := strings.Cut(s.Logs(), "msg=metrics addr=")
	addr, _, _ := strings.Cut(rest, "\n")
	if _, body := raw(t, addr, "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); !strings.Contains(body, "sandlot_panics_total 0") {
		t.Errorf("the private listener has %.200q", body)
	}
}

func TestRegressionM33CookiesOfAProjectRefuseNothing(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	resp, body := raw(t, s.Addr(), "GET / HTTP/1.1\r\nHost: x-abc123.localhost\r\nConnection: close\r\nCookie: "+strings.Repeat("a="+strings.Repeat("x", 4000)+"; ", 3)+"\r\n\r\n")
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("got %d with %.300q", resp.StatusCode, body)
	}
}

// TestRegressionM23EveryAnswerHasAPolicy: a page in quarantine could act from within a frame with an answer of its origin that has none.
func TestRegressionM23EveryAnswerHasAPolicy(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	const host = "Host: x-abc123.localhost\r\nConnection: close\r\n"
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"a path that is none":          {"GET /%zz HTTP/1.1\r\n" + host + "\r\n", 400},
		"a path of 20 KB":              {"GET /" + strings.Repeat("x", 20<<10) + " HTTP/1.1\r\n" + host + "\r\n", 431},
		"a line that is no field":      {"GET / HTTP/1.1\r\n" + host + "x\r\n\r\n", 400},
		"two hosts":                    {"GET / HTTP/1.1\r\n" + host + "Host: y\r\n\r\n", 400},
		"an expectation":               {"GET / HTTP/1.1\r\n" + host + "Expect: more\r\n\r\n", 417},
		"a coding that nobody knows":   {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: x\r\n\r\n", 501},
		"a version that nobody knows":  {"GET / HTTP/3.7\r\n" + host + "\r\n", 505},
		"a null in the path":           {"GET /%00 HTTP/1.1\r\n" + host + "\r\n", 404},
		"the second of two requests":   {"GET /a HTTP/1.1\r\nHost: x-abc123.localhost\r\n\r\nGET /%zz HTTP/1.1\r\n" + host + "\r\n", 400},
		"the second behind net/http's": {"OPTIONS /a HTTP/1.1\r\nHost: x-abc123.localhost\r\n\r\nGET /%zz HTTP/1.1\r\n" + host + "\r\n", 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", s.Addr())
			expect.OK(t, err)
			defer conn.Close()
			expect.OK(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
			go func() { _, _ = io.WriteString(conn, c.request) }()
			answers, last := bufio.NewReader(conn), 0
			for last != c.status {
				resp, err := http.ReadResponse(answers, nil)
				if err != nil {
					t.Fatalf("after %d: %v", last, err)
				}
				if last = resp.StatusCode; resp.Header.Get("Content-Security-Policy") == "" {
					t.Errorf("%d has no policy: %v", last, resp.Header)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
			}
		})
	}
}
