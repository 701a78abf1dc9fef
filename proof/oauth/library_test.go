package oauth

import (
	"net/http"
	"net/url"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestOAuth4webapiFindsNothingWrong: it reads every answer as the standards have it.
func TestOAuth4webapiFindsNothingWrong(t *testing.T) {
	testenv.Unraced(t)
	testenv.NodePackages(t)
	t.Parallel()
	s := start(t)
	ada := s.join(t, "ada")
	hers := s.publish(t, ada.key, "Hers")
	library := startNode(t, "library.mjs", s.base, loopback)
	do := func(verb string, more object) (got object) {
		t.Helper()
		call := object{"verb": verb}
		for name, value := range more {
			call[name] = value
		}
		library.do(t, call, &got)
		return got
	}
	found := do("discover", nil)
	server := found["server"].(object)
	expect.Equal(t, "the endpoint of pushed requests", server["pushed_authorization_request_endpoint"], nil)
	expect.Equal(t, "that the issuer is in every answer", server["authorization_response_iss_parameter_supported"], any(true))
	expect.Equal(t, "that documents are taken", server["client_id_metadata_document_supported"], any(true))
	for name, path := range map[string]string{
		"authorization_endpoint": authorizePath, "token_endpoint": tokenPath, "device_authorization_endpoint": devicePath,
		"registration_endpoint": registerPath, "revocation_endpoint": revokePath,
	} {
		expect.Equal(t, name, text(server, name), s.base+path)
	}
	do("register", object{"metadata": object{
		"client_name": "oauth4webapi", "grant_types": []string{"authorization_code", "refresh_token", deviceGrant},
	}})
	browse := func(answered, project string) string {
		to, err := url.Parse(text(do("authorize", nil), "address"))
		expect.OK(t, err)
		return ada.decide(t, ada.ask(t, to.Query()), answered, project).redirect(t).RawQuery
	}
	refused := library.throws(t, object{"verb": "exchange", "query": browse("deny", "")})
	expect.Contains(t, "what it throws after a no", refused, "access_denied")
	query, err := url.ParseQuery(browse("allow", ""))
	expect.OK(t, err)
	query.Set("iss", "https://evil.example")
	refused = library.throws(t, object{"verb": "exchange", "query": query.Encode()})
	expect.Contains(t, "what it throws for another issuer", refused, "iss")

	got := do("exchange", object{"query": browse("allow", hers)})
	expect.Equal(t, "the scope", text(got, "scope"), "project")
	use := func(want int) {
		t.Helper()
		expect.Equal(t, "status of a request", int(do("use", nil)["status"].(float64)), want)
	}
	use(http.StatusOK)
	expect.Equal(t, "that a refresh gives the old token", text(do("refresh", nil), "access_token") == text(got, "access_token"), false)
	use(http.StatusOK)
	do("revoke", nil)
	do("revoke", nil) // a second time is no error
	refused = library.throws(t, object{"verb": "use"})
	expect.Contains(t, "the challenge after the end", refused, "invalid_token")
	refused = library.throws(t, object{"verb": "refresh"})
	expect.Contains(t, "what it throws for a refresh after the end", refused, "invalid_grant")

	device := do("device", object{"parameters": object{"project": hers}})
	ada.types(t, text(device, "user_code"), "allow", hers)
	expect.Equal(t, "the scope of a device", text(do("poll", nil), "scope"), "project")
	use(http.StatusOK)
	refused = library.throws(t, object{"verb": "poll"})
	expect.Contains(t, "what it throws for a second time", refused, "invalid_grant")
}

// TestSoakOpenIDClientWaitsForTheOwner of the device grant, at the interval of the server.
func TestSoakOpenIDClientWaitsForTheOwner(t *testing.T) {
	testenv.Unraced(t)
	s := start(t)
	ada := s.join(t, "ada")
	library := startNode(t, "library.mjs", s.base, loopback)
	var got object
	library.do(t, object{"verb": "discoverOpenID", "id": "terminal"}, &got)
	library.do(t, object{"verb": "deviceOpenID", "parameters": object{}}, &got)
	code := text(got, "user_code")
	expect.OK(t, library.in.Encode(object{"verb": "pollOpenID"}))
	testenv.Eventually(t, limit, "a question that comes too early", func() bool { return s.polled() > 0 })
	ada.types(t, code, "allow", "")
	library.read(t, &got)
	expect.Equal(t, "the scope", text(got, "scope"), "account")
	expect.Equal(t, "that the token works", s.opens(t, text(got, "access_token")), true)
}

// polled returns the number of requests of tokens that have come through the proxy.
func (s *site) polled() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.seen {
		if r.path == tokenPath {
			n++
		}
	}
	return n
}
