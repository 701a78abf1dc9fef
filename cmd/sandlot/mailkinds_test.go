package main

import (
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

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// promptly is how long a request may take beside a mail server that takes minutes.
const promptly = 5 * time.Second

// Every kind of message, by the path of the link in it.
const (
	ofVerify = "/verify"
	ofLogin  = "/login/link"
	ofReport = "/p/"
)

// A correspondent is somebody with an account, a browser, and a way to be sent messages of every kind, beside values that attack headers.
type correspondent struct {
	t       *testing.T
	s       *testenv.Server
	m       *mailServer
	address string // of the account
	cookies map[string]string
	read    int // messages that were looked at
}

// attack is what would be a header, a recipient or a message of its own, if it got there.
const attack = "\r\nBcc: evil@evil.example\r\n\r\nevil\r\n.\r\nRCPT TO:<evil@evil.example>"

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

// uses presses the button behind the link of a message.
func (c *correspondent) uses(l letter) {
	c.t.Helper()
	c.post(l.path, url.Values{"token": {l.token}}, http.StatusOK, http.StatusSeeOther)
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
