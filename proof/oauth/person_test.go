package oauth

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// A person has an account with a verified address, and a browser without scripts that is logged in.
type person struct {
	s          *site
	email, key string
	cookies    map[string]string
}

// join makes an account. The message that comes verifies its address, and logs the browser in.
func (s *site) join(t *testing.T, name string) *person {
	t.Helper()
	p := &person{s: s, email: name + "@people.internal", cookies: map[string]string{}}
	made := s.send(t, "POST", "/v1/signup", `{"email":"`+p.email+`"}`, "Content-Type", "application/json")
	expect.Equal(t, "status of signup", made.status, http.StatusCreated)
	p.key = text(made.json(t), "api_key")
	p.does(t, "POST", "/verify", form("token", s.mails.token(t, p.email, "/verify?token=")))
	p.loggedIn(t)
	return p
}

func (p *person) loggedIn(t *testing.T) {
	t.Helper()
	if p.cookies[sessionCookie] == "" {
		t.Fatalf("%s is not logged in: %v", p.email, p.cookies)
	}
}

// logIn logs the browser in anew, by another message.
func (p *person) logIn(t *testing.T) {
	t.Helper()
	before := p.s.mails.count(p.email)
	p.does(t, "POST", "/login", form("email", p.email))
	p.s.mails.await(t, p.email, before+1)
	p.does(t, "POST", "/login/link", form("token", p.s.mails.token(t, p.email, "/login/link?token=")))
	p.loggedIn(t)
}

const sessionCookie = "__Host-session"

// stranger returns a browser without a login.
func (s *site) stranger() *person { return &person{s: s, cookies: map[string]string{}} }

// again returns a second browser with the same cookies.
func (p *person) again() *person {
	return &person{s: p.s, email: p.email, key: p.key, cookies: maps.Clone(p.cookies)}
}

// does sends a request with the cookies of the browser, as a page of the site does, and keeps the cookies of the answer.
func (p *person) does(t *testing.T, method, path string, f url.Values, header ...string) answer {
	t.Helper()
	if method == "POST" {
		header = append([]string{"Origin", p.s.base, "Sec-Fetch-Site", "same-origin"}, header...)
	}
	got := p.s.send(t, method, path, f.Encode(), append(header, "Cookie", p.cookie())...)
	for _, c := range (&http.Response{Header: got.header}).Cookies() {
		if p.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(p.cookies, c.Name)
		}
	}
	return got
}

func (p *person) cookie() string {
	var list []string
	for name, value := range p.cookies {
		list = append(list, name+"="+value)
	}
	return strings.Join(list, "; ")
}

var (
	aForm  = regexp.MustCompile(`(?s)<form([^>]*)>(.*?)</form>`)
	hidden = regexp.MustCompile(`<input[^>]*type="hidden"[^>]*>`)
	member = regexp.MustCompile(`(name|value|action)="([^"]*)"`)
)

// question returns the form of a page that asks for consent, with its hidden fields, and its action; empty is the address of the page.
func (a answer) question(t *testing.T) (action string, f url.Values) {
	t.Helper()
	for _, one := range aForm.FindAllStringSubmatch(a.text, -1) {
		if !strings.Contains(one[2], `name="form_token"`) || !strings.Contains(one[2], `value="allow"`) {
			continue
		}
		f = url.Values{}
		for _, input := range hidden.FindAllString(one[2], -1) {
			of := members(input)
			f.Add(of["name"], of["value"])
		}
		return members(one[1])["action"], f
	}
	t.Fatalf("no question but %d %s", a.status, a.text)
	return "", nil
}

func members(tag string) map[string]string {
	of := map[string]string{}
	for _, m := range member.FindAllStringSubmatch(tag, -1) {
		of[m[1]] = html.UnescapeString(m[2])
	}
	return of
}
