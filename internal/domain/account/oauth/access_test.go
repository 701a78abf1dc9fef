package oauth_test

import (
	"reflect"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestWhoIsLetInToOAuth calls every method of the Service as every kind of caller: programs ask as anybody, and owners
// consent in a session.
func TestWhoIsLetInToOAuth(t *testing.T) {
	t.Parallel()
	const user = "BCDF-GHJK"
	everybody := func(want error) func(testworld.Seen) error { return func(testworld.Seen) error { return want } }
	// owners is how the sessions of both accounts end, if Kim's is not suspended.
	owners := func(mine, others, meanwhile error) func(testworld.Seen) error {
		return func(seen testworld.Seen) error {
			switch {
			case seen.Who == "another's session":
				return others
			case seen.Who != "the owner's session":
				return sandlot.ErrLoginNeeded
			case seen.State == "account suspended":
				return sandlot.CodeAccountSuspended
			case seen.State == "account suspended meanwhile":
				return meanwhile
			}
			return mine
		}
	}
	request := func(t *testing.T, s *testworld.Scene) oauth.Request {
		c, err := s.OAuth.Register(t.Context(), testworld.Nobody(), oauth.Registration{RedirectURIs: []string{back}})
		expect.OK(t, err)
		return oauth.Request{ClientID: c.ID, RedirectURI: back, ResponseType: "code", Challenge: challengeOf(verifier), ChallengeMethod: "S256"}
	}
	prepare := func(s *testworld.Scene) {
		expect.OK(t, s.DB.Account().AddDevice(t.Context(), oauth.Waiting{
			Code: sandlot.Digest{1}, UserCode: s.Vault().Keyed("oauth user_code", "BCDFGHJK"), Client: oauth.Client{ID: oauth.Terminal},
			CreatedAt: s.Now(), ExpiresAt: s.Now().Add(oauth.DeviceLife),
		}))
	}
	unknown := sandlot.Secret("x")
	testworld.CheckAccess(t, reflect.TypeFor[*oauth.Service](), prepare, map[string]testworld.Gate{
		"Register": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.OAuth.Register(t.Context(), by, oauth.Registration{RedirectURIs: []string{back}}))
		}, Want: everybody(nil)},
		"Check": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			return s.OAuth.Check(t.Context(), by, request(t, s))
		}, Want: everybody(nil)},
		"Ask": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.OAuth.Ask(t.Context(), by, request(t, s)))
		}, Want: owners(nil, nil, nil)},
		"Approve": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			r := request(t, s)
			asked, _ := s.OAuth.Ask(t.Context(), by, r)
			return second(s.OAuth.Approve(t.Context(), by, r, oauth.Choice{Project: s.Project.ID, Form: asked.Form}))
		}, Want: owners(nil, sandlot.ErrNotFound, nil)}, // a code of an account that is suspended gives nothing
		"Deny": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.OAuth.Deny(t.Context(), by, request(t, s)))
		}, Want: func(seen testworld.Seen) error {
			if seen.Who == "the owner's session" || seen.Who == "another's session" {
				return nil
			}
			return sandlot.ErrLoginNeeded
		}},
		"Exchange": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			return code(t, second(s.OAuth.Exchange(t.Context(), by, oauth.CodeInput{Code: "x"})))
		}, Want: everybody(badGrant)},
		"Refresh": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			return code(t, second(s.OAuth.Refresh(t.Context(), by, oauth.RefreshInput{Token: unknown})))
		}, Want: everybody(badGrant)},
		"Revoke": {Call: func(s *testworld.Scene, by sandlot.Caller) error { return s.OAuth.Revoke(t.Context(), by, unknown, "") }, Want: everybody(nil)},
		"AskDevice": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.OAuth.AskDevice(t.Context(), by, oauth.DeviceInput{}))
		}, Want: everybody(nil)},
		"PollDevice": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			return code(t, second(s.OAuth.PollDevice(t.Context(), by, unknown, "")))
		}, Want: everybody(badGrant)},
		"DeviceConsent": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.OAuth.DeviceConsent(t.Context(), by, user))
		}, Want: owners(nil, nil, nil)},
		"ApproveDevice": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			asked, _ := s.OAuth.DeviceConsent(t.Context(), by, user)
			return s.OAuth.ApproveDevice(t.Context(), by, user, oauth.Choice{Project: s.Project.ID, Form: asked.Form})
		}, Want: owners(nil, sandlot.ErrNotFound, sandlot.CodeAccountSuspended)},
		"DenyDevice": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			asked, _ := s.OAuth.DeviceConsent(t.Context(), by, user)
			return s.OAuth.DenyDevice(t.Context(), by, user, asked.Form)
		}, Want: owners(nil, nil, nil)}, // every owner with the user_code decides
	})
}
