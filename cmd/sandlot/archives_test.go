package main

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"sandlot/internal/testkit/testenv"
)

// TestLoad12OneArchiveOfAnAccountAtATime: a second one is refused, with the time to come back, until the first has come
// or its client has gone.
func TestLoad12OneArchiveOfAnAccountAtATime(t *testing.T) {
	t.Parallel()
	s := publicServer(t)
	content := io.LimitReader(rand.Reader, 24<<20) // more than the buffers of a connection that nobody reads
	made := longForm(t, s, "203.0.113.1", content)
	if made.StatusCode != 201 {
		t.Fatalf("%d %v", made.StatusCode, made.body)
	}
	key, of := made.body["api_key"].(string), made.body["project_api_key"].(string)
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /v1/export HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: 203.0.113.1\r\nAuthorization: Bearer %s\r\n\r\n", s.Addr(), key)
	if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%v, %v", resp, err)
	}
	for what, k := range map[string]string{"the account's key": key, "a project's key": of} {
		limitedUntil(t, "a second one with "+what, from(t, s, "203.0.113.2", "GET", "/v1/export", k, nil))
	}
	conn.Close()
	testenv.Eventually(t, time.Minute, "an archive for another, once the first client has gone", func() bool {
		req, err := http.NewRequest("GET", s.URL()+"/v1/export", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("X-Forwarded-For", "203.0.113.1")
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode == 200
	})
}
