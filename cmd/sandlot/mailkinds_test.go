package main

import (
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// promptly is how long a request may take beside a mail server that takes minutes.
const promptly = 5 * time.Second

// Every kind of message, by the path of the link in it.
const (
	ofVerify = "/verify"
	ofLogin  = "/login/link"
	ofChange = "/account/email"
	ofNotice = "/account/undo"
	ofReport = "/p/"
)

// A correspondent is somebody with an account, a browser, and a way to be sent messages of every kind, beside values that attack headers.
type correspondent struct {
	t       *testing.T
	s       *testenv.Server
	m       *mailServer
	key     string
	address string // of the account
	project string
	cookies map[string]string
	read    int // messages that were looked at
}

// attack is what would be a header, a recipient or a message of its own, if it got there.
const attack = "\r\nBcc: evil@evil.example\r\n\r\nevil\r\n.\r\nRCPT TO:<evil@evil.example>"

// newCorrespondent signs up, verifies the address, and logs in, with an attack in each value that the service takes.
func newCorrespondent(t *testing.T, m *mailServer) *correspondent {
	t.Helper()
	m.listen(t)
	s := testenv.Start(t, testenv.Binary(t), "--smtp-url", "smtp://"+m.addr, "--report-mail", "operator@example.com")
	c := &correspondent{t: t, s: s, m: m, address: "kim@example.com", cookies: map[string]string{}}
	status, made := call(t, s, "POST", "/v1/publish", "", map[string]any{
		"content": []byte("<!doctype html><title>x</title>"), "email": c.address, "handle": "kim" + attack, "title": "Title" + attack, "lang": "de" + attack,
	})
	if status != http.StatusCreated {
		t.Fatalf("publish: %d %v", status, made)
	}
	c.key, c.project = made["api_key"].(string), made["project_id"].(string)
	c.uses(c.next(ofVerify))
	c.asks(c.address)
	c.uses(c.next(ofLogin))
	c.post("/account/keys", url.Values{"name": {"key" + attack}, "project": {c.project}, "form_token": {"one"}}, http.StatusOK, http.StatusUnprocessableEntity)
	c.post("/account/settings/language", url.Values{"lang": {"fr" + attack}}, http.StatusSeeOther)
	c.post("/account/settings/handle", url.Values{"handle": {"kim" + attack}}, http.StatusSeeOther, http.StatusUnprocessableEntity)
	return c
}

// post sends a form, which has to be answered promptly, with one of these statuses.
func (c *correspondent) post(path string, form url.Values, statuses ...int) string {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), "POST", "http://localhost"+path, strings.NewReader(form.Encode()))
	expect.OK(c.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("User-Agent", "Mozilla\tBcc: evil@evil.example =?utf-8?q?=0D=0ABcc:=20evil@evil.example?=")
	req.Header.Set("Accept-Language", "fr=0D=0ABcc: evil@evil.example")
	for name, value := range c.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	begun := time.Now()
	resp, err := c.s.Client().Transport.RoundTrip(req)
	expect.OK(c.t, err)
	defer resp.Body.Close()
	if took := time.Since(begun); took > promptly {
		c.t.Errorf("%s took %v", path, took)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || !slices.Contains(statuses, resp.StatusCode) {
		c.t.Fatalf("%s: %d to %q (%v)\n%s", path, resp.StatusCode, resp.Header.Get("Location"), err, body)
	}
	for _, cookie := range resp.Cookies() {
		c.cookies[cookie.Name] = cookie.Value
	}
	return string(body)
}

// asks asks for a login.
func (c *correspondent) asks(address string) {
	c.t.Helper()
	c.post("/login", url.Values{"email": {address}, "to": {"/account" + attack}}, http.StatusSeeOther)
}

// proves logs in once more, for a login proves the address of its time alone.
func (c *correspondent) proves() {
	c.t.Helper()
	c.asks(c.address)
	c.uses(c.next(ofLogin))
}

// uses presses the button behind the link of a message.
func (c *correspondent) uses(l letter) {
	c.t.Helper()
	c.post(l.path, url.Values{"token": {l.token}}, http.StatusOK, http.StatusSeeOther)
}

// causeAll makes the service send one message of each kind, to mailboxes of that name, and returns them. Each request is answered
// promptly. A notice follows the use of a link, so arrive lets the messages before it in.
func (c *correspondent) causeAll(name string, arrive func()) map[string]letter {
	c.t.Helper()
	begun := time.Now()
	for _, email := range []string{name + "@example.com" + attack, "evil@evil.example>" + attack, "=?utf-8?q?evil=40evil.example?="} {
		if status, answer := call(c.t, c.s, "POST", "/v1/signup", "", map[string]any{"email": email}); status != http.StatusBadRequest {
			c.t.Errorf("%q: %d %v", email, status, answer)
		}
		c.post("/login", url.Values{"email": {email}, "to": {"/"}}, http.StatusUnprocessableEntity)
		c.post("/account/settings/email", url.Values{"email": {email}}, http.StatusUnprocessableEntity)
	}
	if status, answer := call(c.t, c.s, "POST", "/v1/signup", "", map[string]any{"email": name + "-claim@example.com", "handle": "claim" + attack, "lang": "ja" + attack}); status != http.StatusCreated {
		c.t.Fatalf("sign up: %d %v", status, answer)
	}
	if took := time.Since(begun); took > 10*promptly { // ten requests
		c.t.Errorf("they took %v", took)
	}
	delete(c.cookies, "__Host-login")
	c.asks(c.address)
	change := name + "-new@example.com"
	c.post("/account/settings/email", url.Values{"email": {change}}, http.StatusSeeOther)
	c.post("/report", url.Values{"project": {c.project}, "reason": {"other"}, "details": {"It is bad." + attack}, "contact": {"me@example.com"}, "form_token": {name}}, http.StatusOK)
	arrive()
	all := map[string]letter{}
	for len(all) < 4 {
		l := c.next("")
		if _, twice := all[l.path]; twice {
			c.t.Errorf("%s came twice", l.path)
		}
		all[l.path] = l
	}
	return all
}

// changes uses the link to another address, and returns the notice to the one before.
func (c *correspondent) changes(l letter, arrive func()) letter {
	c.t.Helper()
	c.uses(l)
	c.address = l.to
	arrive()
	return c.next(ofNotice)
}

// A letter is a message as it came.
type letter struct {
	header      mail.Header
	to          string
	path, token string   // of its first link
	links       []string // all of them
	notMe       string   // the token of the other link
}

var linkPattern = regexp.MustCompile(`http://localhost(?::[0-9]+)?(/[^\s"<]*)`)

// next waits for the next message, which has a link to that path; any if it is empty.
func (c *correspondent) next(path string) letter {
	c.t.Helper()
	eventually(c.t, "a message came", func() bool {
		_, got := c.m.counts()
		return len(got) > c.read
	})
	_, got := c.m.counts()
	l := openLetter(c.t, got[c.read])
	c.read++
	if path != "" && l.path != path {
		c.t.Fatalf("a message with a link to %s came, not to %s", l.path, path)
	}
	return l
}

func openLetter(t *testing.T, raw string) letter {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatalf("not a message: %v\n%s", err, raw)
	}
	l := letter{header: m.Header, to: strings.Trim(m.Header.Get("To"), "<>")}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	expect.OK(t, err)
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		expect.OK(t, err)
		text, err := io.ReadAll(part)
		expect.OK(t, err)
		for _, found := range linkPattern.FindAllStringSubmatch(string(text), -1) {
			l.links = append(l.links, found[1])
		}
	}
	for i, link := range l.links {
		u, err := url.Parse(link)
		expect.OK(t, err)
		if i == 0 {
			l.path, l.token = u.Path, u.Query().Get("token")
			if strings.HasPrefix(u.Path, ofReport) {
				l.path = ofReport
			}
		}
		if u.Path == "/not-me" {
			l.notMe = u.Query().Get("token")
		}
	}
	return l
}

// hurry has the messages that wait for another try tried at once, until none
// waits any more. One that is on its way is claimed for five minutes, which is
// longer than the first tries wait: made due again it would come twice.
func (c *correspondent) hurry() {
	c.t.Helper()
	db := otherProcess(c.t, c.s)
	eventually(c.t, "no message waits", func() bool {
		left := -1
		if _, err := db.ExecContext(c.t.Context(), "UPDATE jobs SET due = 0 WHERE due < ?", time.Now().Add(4*time.Minute).UnixMicro()); err != nil {
			c.t.Fatal(err)
		}
		expect.OK(c.t, db.QueryRowContext(c.t.Context(), "SELECT count(*) FROM jobs").Scan(&left))
		return left == 0
	})
}

// TestSoakEveryKindOfMessage: whatever the mail server does, and whatever is put into what the service takes, requests are answered promptly, each
// message comes once, its header is ours, and programs that look at its links use nothing up.
func TestSoakEveryKindOfMessage(t *testing.T) {
	t.Parallel()
	var m mailServer
	c := newCorrespondent(t, &m)
	temporary := func(code int) error {
		return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "come back later"}
	}
	settle := func() { settled(t, c.s) }
	refused := 0
	willing := func() { m.admit, m.greet, m.stall = nil, nil, nil }
	for _, way := range []struct {
		name   string
		set    func() // before the requests, and before the notice
		arrive func() // after them: returns when all have come
	}{
		{"greylisting", func() {
			seen := map[string]int{}
			m.admit = func(to string) error {
				if seen[to]++; seen[to] == 1 {
					return temporary(451)
				}
				return nil
			}
		}, c.hurry},
		{"refusing", func() { refused, m.greet = 0, func() error { refused++; return temporary(421) } }, func() {
			eventually(t, "a try failed", func() (yes bool) { m.set(func() { yes = refused > 0 }); return yes })
			m.set(func() { m.greet = nil })
			c.hurry()
		}},
		{"slow", func() { m.stall = make(chan bool) }, func() {
			before, _ := m.counts()
			eventually(t, "one is on its way", func() bool { n, got := m.counts(); return n > len(got) && n >= before })
			if status(t, c.s, "/readyz") != 200 {
				t.Error("it is not ready")
			}
			m.set(func() { close(m.stall); m.stall = nil })
			settle()
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			c.t = t
			m.set(willing)
			c.proves()
			m.set(way.set)
			all := c.causeAll(way.name, way.arrive)
			for _, kind := range []string{ofVerify, ofLogin, ofChange, ofReport} {
				if _, ok := all[kind]; !ok {
					t.Errorf("no message has a link to %s", kind)
				}
			}
			m.set(way.set)
			c.changes(all[ofChange], way.arrive)
			if _, got := m.counts(); len(got) != c.read {
				t.Errorf("%d messages, %d too many", len(got), len(got)-c.read)
			}
		})
	}
	m.set(willing)
	t.Run("programs that look at links use nothing up", func(t *testing.T) {
		c.t = t
		c.proves()
		all := c.causeAll("scanned", settle)
		c.scan(all)
		c.uses(all[ofVerify])
		c.uses(all[ofLogin])
		old := c.address
		notice := c.changes(all[ofChange], settle)
		c.scan(map[string]letter{ofNotice: notice})
		c.uses(notice)
		c.address = old
	})
	t.Run("a mailbox that wants no messages gets none until the operator allows it", func(t *testing.T) {
		c.t = t
		claim := func() {
			if status, answer := call(t, c.s, "POST", "/v1/signup", "", map[string]any{"email": "stopped@example.com"}); status != http.StatusCreated || answer["verification_sent"] != true {
				t.Errorf("sign up: %d %v", status, answer)
			}
		}
		claim()
		c.post("/not-me", url.Values{"token": {c.next(ofVerify).notMe}}, http.StatusOK)
		claim()
		settle()
		if _, got := m.counts(); len(got) != c.read {
			t.Errorf("%d messages came", len(got)-c.read)
		}
		line := regexp.MustCompile(`(?m)^(mailbox:[0-9a-f]{12}) +claims .* -$`).FindStringSubmatch(admin(t, c.s, "mails", "list", "Stopped+tag@example.com"))
		if line == nil {
			t.Fatalf("the list is %q", admin(t, c.s, "mails", "list"))
		}
		expect.Contains(t, "it says", admin(t, c.s, "mails", "allow", "stopped@example.com", "--reason", "asked by phone"), line[1])
		if log := admin(t, c.s, "log"); !regexp.MustCompile(`allow-mail +`+line[1]+` +asked by phone`).MatchString(log) || strings.Contains(log, "stopped@") {
			t.Errorf("the log is %q", log)
		}
		expect.Equal(t, "the list then is", admin(t, c.s, "mails", "list", "stopped@example.com", "--json"), "")
		claim()
		c.next(ofVerify)
	})
	t.Run("nothing that people wrote is in a header or a command", func(t *testing.T) {
		_, got := m.counts()
		for _, raw := range got {
			l := openLetter(t, raw)
			for name, values := range l.header {
				if !slices.Contains([]string{"From", "To", "Auto-Submitted", "Date", "Mime-Version", "Message-Id", "Subject", "Content-Type"}, name) || len(values) != 1 {
					t.Errorf("header %s: %v", name, values)
				}
				if decoded, err := new(mime.WordDecoder).DecodeHeader(values[0]); err != nil || strings.Contains(strings.ToLower(decoded), "evil") {
					t.Errorf("header %s: %q, %v", name, decoded, err)
				}
			}
		}
		for _, line := range m.commands() {
			if !regexp.MustCompile(`^(EHLO [a-zA-Z0-9.\[\]:-]+|MAIL FROM:<sandlot@localhost>( BODY=8BITMIME)?( SMTPUTF8)?|RCPT TO:<[a-z-]+@example\.com>|DATA|RSET|NOOP|QUIT)$`).MatchString(line) {
				t.Errorf("a command %q", line)
			}
		}
	})
}

// commands are what the service said, but for messages.
func (m *mailServer) commands() (list []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, wire := range m.wires {
		data := false
		for line := range strings.SplitSeq(wire.String(), "\r\n") {
			switch {
			case data:
				data = line != "."
			case line != "":
				list = append(list, line)
				data = line == "DATA"
			}
		}
	}
	return list
}

// scan fetches each link of each message several times, as programs that look at links do, and follows where they lead: nothing may change.
func (c *correspondent) scan(all map[string]letter) {
	c.t.Helper()
	before := c.state()
	for kind, l := range all {
		if (l.notMe == "") != (kind == ofReport) {
			c.t.Errorf("the message to %s has the links %v", kind, l.links)
		}
		for _, link := range l.links {
			for _, method := range []string{"GET", "HEAD", "GET", "HEAD"} {
				req, err := http.NewRequestWithContext(c.t.Context(), method, "http://localhost"+link, nil)
				expect.OK(c.t, err)
				resp, err := c.s.Client().Do(req)
				expect.OK(c.t, err)
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					c.t.Errorf("%s of the link to %s: %d", method, l.path, resp.StatusCode)
				}
			}
		}
	}
	if after := c.state(); after != before {
		c.t.Errorf("looking at links changed\n%s\nto\n%s", before, after)
	}
}

// state is all that a link could use up.
func (c *correspondent) state() string {
	c.t.Helper()
	db := otherProcess(c.t, c.s)
	defer db.Close()
	var all strings.Builder
	for _, query := range []string{
		"SELECT id || ' ' || email || ' ' || verified || ' ' || handle FROM accounts ORDER BY 1", "SELECT hex(token) || ' ' || account FROM verifications ORDER BY 1",
		"SELECT id || ' ' || coalesce(hex(token), '') || ' ' || proved || ' ' || tries FROM logins ORDER BY 1", "SELECT id || ' ' || email || ' ' || undo FROM email_moves ORDER BY 1",
		"SELECT hex(token) || ' ' || move FROM email_links ORDER BY 1", "SELECT id || ' ' || kind FROM stops ORDER BY 1", "SELECT id || ' ' || account FROM sessions ORDER BY 1",
		"SELECT count(*) || '' FROM jobs", "SELECT number FROM reports ORDER BY 1",
	} {
		rows, err := db.QueryContext(c.t.Context(), query)
		expect.OK(c.t, err)
		for rows.Next() {
			var line string
			expect.OK(c.t, rows.Scan(&line))
			fmt.Fprintln(&all, line)
		}
		expect.OK(c.t, rows.Err())
		fmt.Fprintln(&all, "--")
	}
	return all.String()
}
