package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/play"
	"sandlot/internal/transport/play/front"
)

// TestAccessLog asks for a published file by both ways that a request can take, and for what is refused.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string][]string{
		"all":    {"play / 200", "play / 304", "play /none 404", "play /net-http 404", "api /v1/whoami 401"},
		"errors": {"play /none 404", "play /net-http 404", "api /v1/whoami 401"},
		"off":    nil,
		"":       {"play / 200", "play / 304", "play /none 404", "play /net-http 404", "api /v1/whoami 401"}, // the default is all
	} {
		t.Run("set to "+setting, func(t *testing.T) {
			t.Parallel()
			var flags []string
			if setting != "" {
				flags = []string{"--access-log", setting}
			}
			s := testenv.Start(t, testenv.Binary(t), flags...)
			status, answer := call(t, s, "POST", "/v1/publish", "", map[string]any{"content": []byte("<p>"), "email": "kim@example.com"})
			if status != http.StatusCreated {
				t.Fatalf("publish: %d %v", status, answer)
			}
			host := fmt.Sprint(answer["project_id"], ".localhost")
			asksFor(t, s, host, "/", "", 200)
			asksFor(t, s, host, "/", "If-None-Match: *\r\n", 304)
			asksFor(t, s, host, "/none", "", 404)
			asksFor(t, s, host, "/net-http", "Pragma: no-cache\r\n", 404) // not plain, so net/http answers
			asksFor(t, s, "localhost", "/v1/whoami", "", 401)
			if code := s.Stop(t); code != 0 {
				t.Fatalf("the exit code is %d", code)
			}
			var got []string
			for _, l := range regexp.MustCompile(`msg=request .*area=(\S+) .*path=(\S+) status=(\d+)`).FindAllStringSubmatch(s.Logs(), -1) {
				if !strings.HasPrefix(l[2], "/v1/publish") {
					got = append(got, strings.Join(l[1:], " "))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("logged are %q and not %q", got, want)
			}
		})
	}
}

// asksFor sends a GET and expects a status.
func asksFor(t *testing.T, s *testenv.Server, host, target, header string, status int) {
	t.Helper()
	answer := make([]byte, len("HTTP/1.1 200"))
	c := send(t, s, "GET "+target+" HTTP/1.1\r\nHost: "+host+"\r\n"+header+"\r\n", 0)
	if _, err := c.Read(answer); err != nil || !strings.HasSuffix(string(answer), fmt.Sprint(status)) {
		t.Errorf("%s%s: %q, wanted %d, %v", host, target, answer, status, err)
	}
	c.Close()
}

func TestAccessLogOffLogsFaults(t *testing.T) {
	var out bytes.Buffer
	s := &router{log: newLogger(&out, "text", "info"), access: "off", metrics: newMetrics(true)}
	rec := &recorder{ResponseWriter: httptest.NewRecorder(), began: time.Now()}
	s.finish(rec, httptest.NewRequest("GET", "/", nil), "id", "play", 0, "a mistake")
	flushLog(s.log)
	if text := out.String(); !strings.Contains(text, `msg=panic request_id=id panic="a mistake"`) || strings.Contains(text, "msg=request") {
		t.Errorf("logged is\n%s", text)
	}
}

// TestAPanicBehindTheFront has a project whose store panics: the request is answered, logged and counted as a fault.
func TestAPanicBehindTheFront(t *testing.T) {
	var out bytes.Buffer
	base := &url.URL{Scheme: "http", Host: "localhost"}
	s := &router{places: sandlot.Places{Base: base, Content: "localhost"}, log: newLogger(&out, "text", "info"), access: "errors", metrics: newMetrics(true)}
	s.play = play.New(play.Config{Service: struct{ play.Service }{}, Places: s.places}) // a call of its methods panics
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	direct := front.NewListener(l, front.Config{Handler: s})
	resp, body := raw(t, l.Addr().String(), "GET / HTTP/1.1\r\nHost: maze-abc234.localhost\r\n\r\n")
	if resp.StatusCode != 500 || !strings.Contains(body, `"error":"internal"`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	direct.Close()
	expect.OK(t, direct.Shutdown(t.Context()))
	flushLog(s.log)
	if text := out.String(); !strings.Contains(text, "msg=panic") || !strings.Contains(text, "area=play method=GET host=maze-abc234.localhost path=/ status=500") {
		t.Errorf("logged is\n%s", text)
	}
}
