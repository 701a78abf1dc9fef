package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// TestTwoNodesAreOneServer: a grant made on one works on the other, and when it ends on one it has ended on the other at once.
func TestTwoNodesAreOneServer(t *testing.T) {
	testenv.Unraced(t)
	bucket := testenv.S3(t)
	t.Setenv("AWS_ACCESS_KEY_ID", bucket.Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", bucket.Secret)
	query := url.Values{"endpoint": {bucket.Endpoint}, "region": {bucket.Region}, "path-style": {"true"}}
	args := []string{
		"--database-url", testenv.Postgres(t), "--blob-url", "s3://" + bucket.Name + "/files?" + query.Encode(),
		"--redis-url", redistest.Database(t), "--limits", "off",
	}
	s := start(t, args...) // alone: it makes the tables
	args = append(args, "--base-url", s.base, "--smtp-url", "smtp://"+s.mails.addr)
	other := &site{base: s.base, mails: s.mails, Server: testenv.Start(t, testenv.Binary(t), args...)}

	ada := s.join(t, "ada")
	there := ada.again()
	there.s = other
	mine := s.register(t, loopback)
	its := mine
	its.s = other

	// Every step is on the other node than the one before.
	page := ada.ask(t, mine.request())
	code := there.decide(t, page, "allow", "").redirect(t).Query().Get("code")
	got := mine.exchange(t, code).tokens(t)
	expect.Equal(t, "that a token works on the other node", other.opens(t, got.Access), true)
	its.exchange(t, code).refusedAs(t, "a code that the other node has exchanged", "invalid_grant")
	expect.Equal(t, "that a token of a code that came twice works", s.opens(t, got.Access), false)

	got = mine.exchange(t, there.code(t, its, "")).tokens(t)
	next := its.refresh(t, got.Refresh).tokens(t)
	for range 3 {
		next = mine.refresh(t, next.Refresh).tokens(t)
		next = its.refresh(t, next.Refresh).tokens(t)
		expect.Equal(t, "that a token works on the first node", s.opens(t, next.Access), true)
		expect.Equal(t, "that a token works on the second node", other.opens(t, next.Access), true)
	}
	d := s.askDevice(t)
	there.types(t, d.userCode, "allow", "")
	of := d.poll(t).tokens(t)
	expect.Equal(t, "that a token of a device works on the other node", other.opens(t, of.Access), true)
	device{other, d.code, d.userCode}.poll(t).refusedAs(t, "a device that the other node has answered", "invalid_grant")

	const list = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
	for _, node := range []*site{s, other} { // whatever a node remembers of the token it has seen now
		answered := node.send(t, "POST", "/mcp/account", list, bearing(next.Access)...)
		expect.Equal(t, "status of a list", answered.status, http.StatusOK)
	}
	ada.endGrants(t)
	for _, ended := range []tokens{next, of} {
		expect.Equal(t, "that a token works on the other node after its end", other.opens(t, ended.Access), false)
		answered := other.send(t, "POST", "/mcp/account", list, bearing(ended.Access)...)
		if answered.status != http.StatusUnauthorized || !strings.Contains(answered.header.Get("WWW-Authenticate"), "resource_metadata=") {
			t.Errorf("the tools with a token after its end: %d %s", answered.status, answered.header)
		}
	}
	its.refresh(t, next.Refresh).refusedAs(t, "a refresh on the other node after the end", "invalid_grant")
	expect.Equal(t, "that the key still works", other.opens(t, ada.key), true)
}
