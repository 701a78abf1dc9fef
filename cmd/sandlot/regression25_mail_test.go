package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// mailIs waits until the metrics say whether the mail server is reachable.
func mailIs(t *testing.T, s *testenv.Server, up int) {
	t.Helper()
	want := regexp.MustCompile(fmt.Sprintf(`(?m)^sandlot_smtp_up %d$`, up))
	eventually(t, want.String(), func() bool {
		resp, err := s.Client().Get(s.URL() + "/metrics")
		expect.OK(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return err == nil && want.Match(text)
	})
}

// TestRegression25AMailServerThatIsAwayIsTold: answers do not say that a message is on
// its way while none can leave.
func TestRegression25AMailServerThatIsAwayIsTold(t *testing.T) {
	t.Parallel()
	m := mailServer{addr: testenv.Port(t)}
	var s *testenv.Server
	delayed := func(answer map[string]any) bool {
		return strings.Contains(fmt.Sprint(answer["warnings"]), "mail_delayed")
	}
	// told makes the calls that may send a link, each by an account of its own.
	told := func(t *testing.T, n int, sent bool) {
		t.Helper()
		address := func(call string) string { return fmt.Sprintf("%s%d@example.com", call, n) }
		for path, fields := range map[string]map[string]any{
			"/v1/publish": {"content": []byte("<p>"), "email": address("publish")},
			"/v1/signup":  {"email": address("signup")},
		} {
			status, answer := call(t, s, "POST", path, "", fields)
			if status != http.StatusCreated || answer["verification_sent"] != sent || delayed(answer) == sent {
				t.Errorf("%s: %d, verification_sent %v, warnings %v", path, status, answer["verification_sent"], answer["warnings"])
			}
		}
		key := signUp(t, s)
		for path, fields := range map[string]map[string]any{
			"/v1/publish": {"content": []byte("<p>"), "email": address("keyed")},
			"/v1/update":  {"filename": "a.txt", "content": []byte("a"), "email": address("updated")},
		} {
			if path == "/v1/update" {
				if status, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte("<p>")}); status != http.StatusCreated {
					t.Fatalf("publish: %d %v", status, answer)
				}
			}
			if status, answer := call(t, s, "POST", path, key, fields); status >= 300 || delayed(answer) == sent {
				t.Errorf("%s with a key: %d, warnings %v", path, status, answer["warnings"])
			}
		}
	}
	s = testenv.Start(t, testenv.Binary(t), "--smtp-url", "smtp://"+m.addr)
	mailIs(t, s, 0) // found before any message
	told(t, 1, false)
	t.Run("there", func(t *testing.T) {
		m.listen(t) // until this ends
		mailIs(t, s, 1)
		told(t, 2, true)
		db := otherProcess(t, s)
		// One that is on its way, which is claimed for five minutes, could fail when the server goes, and another arrive after it.
		eventually(t, "messages come, and none is on its way", func() bool {
			now, left := time.Now(), -1
			err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM jobs WHERE due <= ? OR due > ?", now.UnixMicro(), now.Add(4*time.Minute).UnixMicro()).Scan(&left)
			expect.OK(t, err)
			_, got := m.counts()
			return left == 0 && len(got) > 0
		})
	})
	// Its message finds out, if one of before has not yet: so nothing can be said of its answer.
	if status, answer := call(t, s, "POST", "/v1/signup", "", map[string]any{"email": "finds-out@example.com"}); status != http.StatusCreated {
		t.Errorf("signup: %d %v", status, answer)
	}
	mailIs(t, s, 0)
	told(t, 3, false)
	for _, line := range []string{"messages wait, and answers say so", "mail server is reachable again"} {
		if n := strings.Count(s.Logs(), line); n > 2 {
			t.Errorf("the log says %d times: %s", n, line)
		}
	}
}
