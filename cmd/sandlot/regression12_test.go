package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegression12AKeyInAPathReachesNoLog: neither the key nor an encoded form of it is in what the real program logs.
func TestRegression12AKeyInAPathReachesNoLog(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			s := testenv.Start(t, testenv.Binary(t), "--log-format", format)
			key := "sla_" + strings.Repeat("Zk3", 12)
			sent := 0
			ask := func(host, path string) (status int) {
				conn, err := net.Dial("tcp", s.Addr())
				expect.OK(t, err)
				defer conn.Close()
				fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, host)
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				expect.OK(t, err)
				resp.Body.Close()
				sent++
				return resp.StatusCode
			}
			base := strings.TrimPrefix(s.URL(), "http://")
			for times := range 5 {
				text := key
				for range times {
					text = strings.ReplaceAll(strings.ReplaceAll(text, "%", "%25"), "Z", "%5A")
					text = strings.Replace(text, "sla_", "s%6Ca%5f", 1)
				}
				for _, path := range []string{"/v1/project/" + text, "/v1/" + text, "/p/" + text, "/@" + text, "/~/" + text + "/a.js", "/" + text, "/v1/project/x/" + text + "/stats"} {
					status := ask(base, path)
					if strings.HasPrefix(path, "/v1/project/"+text) && status != 400 {
						t.Errorf("encoded %d times it is %d, not refused as a key", times, status)
					}
				}
				ask("space-cats-0a1b2c."+base, "/"+text)
			}
			s.Stop(t)
			logs := s.Logs()
			for range 12 {
				if strings.Contains(logs, "Zk3Zk3") {
					t.Fatalf("a key is in the log:\n%s", s.Logs())
				}
				next, err := url.PathUnescape(logs)
				if err != nil || next == logs {
					break
				}
				logs = next
			}
			if n := strings.Count(s.Logs(), "<key>"); n < sent {
				t.Errorf("%d of %d requests are logged with <key>", n, sent)
			}
		})
	}
}
