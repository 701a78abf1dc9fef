package main

import (
	"io"
	"net/http"
	"net/smtp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestReportsComeByTokenAndByMailAndHold: two trusted reporters and a message by SMTP are three networks. The operator and
// the sender of the message hear of it.
func TestReportsComeByTokenAndByMailAndHold(t *testing.T) {
	t.Parallel()
	m := &mailServer{}
	m.listen(t)
	messages := func() []string {
		_, taken := m.counts()
		return taken
	}
	box := filepath.Join(t.TempDir(), "abuse")
	s := testenv.Start(t, testenv.Binary(t), "--smtp-url", "smtp://"+m.addr, "--report-mail", "op@example.org", "--auto-hold", "on",
		"--report-inbox", box, "--report-smtp", "127.0.0.1:0")
	status, project := call(t, s, "POST", "/v1/publish", "", map[string]any{"html": "<p>password", "email": "eve@people.internal"})
	expect.Equal(t, "publish", status, http.StatusCreated)
	id, url := project["project_id"].(string), project["url"].(string)

	var tokens []string
	for _, name := range []string{"cert", "bank"} {
		out := admin(t, s, "reporters", "add", name)
		tokens = append(tokens, regexp.MustCompile(`slf_[0-9A-Za-z]{36}`).FindString(out))
		status, got := call(t, s, "POST", "/v1/report", tokens[len(tokens)-1], map[string]any{"project": url, "reason": "deceptive"})
		expect.Same(t, "a report of "+name, []any{status, got["project_id"], got["status"]}, []any{http.StatusCreated, id, "open"})
	}
	if strings.Contains(s.Logs(), tokens[0]) {
		t.Error("a token is in the log")
	}
	if held := admin(t, s, "log", "--target", id); strings.Contains(held, "rule") {
		t.Fatalf("two networks held it: %s", held)
	}

	addr := regexp.MustCompile(`msg="reports by mail" addr=(\S+)`).FindStringSubmatch(s.Logs())
	text := "From: ann@people.internal\r\nSubject: phishing\r\n\r\nSee " + strings.NewReplacer("http", "hxxp", ".", "[.]").Replace(url) + "login\r\n"
	expect.OK(t, smtp.SendMail(addr[1], nil, "ann@people.internal", []string{"abuse@example.org"}, []byte(text)))
	log := admin(t, s, "log", "--target", id)
	expect.Contains(t, "the audit log", log, "hold")
	expect.Contains(t, "the audit log", log, "rule")
	testenv.Eventually(t, 30*time.Second, "the operator's messages and the answer", func() bool {
		all := strings.Join(messages(), "\n")
		return strings.Contains(all, "A report about a project") && strings.Contains(all, "put a reported project on hold") && strings.Contains(all, "Your report to Sandlot")
	})
	for _, message := range messages() {
		if strings.Contains(message, "To: <op@example.org>") && (strings.Contains(message, "ann@people") || strings.Contains(message, url)) {
			t.Errorf("the operator's message has the sender or a link to the page:\n%s", message)
		}
	}

	expect.OK(t, os.WriteFile(filepath.Join(box, "new", "1"), []byte("From: kim@people.internal\n\ncopyright: "+url+"\n"), 0o600))
	testenv.Eventually(t, 30*time.Second, "the message to be moved", func() bool {
		_, err := os.Stat(filepath.Join(box, "cur", "1:2,S"))
		return err == nil
	})
	list := admin(t, s, "reports", "--open")
	expect.Contains(t, "reports", list, "copyright")
	expect.Contains(t, "reporters", admin(t, s, "reporters", "list"), "bank")
	admin(t, s, "reporters", "end", "bank")
	status, _ = call(t, s, "POST", "/v1/report", tokens[1], map[string]any{"project": url, "reason": "deceptive"})
	expect.Equal(t, "a token that was ended", status, http.StatusUnauthorized)
	resp, err := s.Client().Get(s.URL() + "/metrics")
	expect.OK(t, err)
	defer resp.Body.Close()
	exported, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	metrics := string(exported)
	expect.Contains(t, "metrics", metrics, `sandlot_reports_total{via="api"} 2`)
	expect.Contains(t, "metrics", metrics, `sandlot_reports_total{via="mail"} 2`)
	expect.Contains(t, "metrics", metrics, `sandlot_holds_total{rule="reports"} 1`)
}
