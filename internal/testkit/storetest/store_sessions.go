package storetest

import (
	"crypto/sha256"
	"testing"
	"time"

	"sandlot"
)

func sessionCases() []storeCase {
	return []storeCase{
		{"AddSession/records a session under the hash of its token, and returns its ID", addSession},
		{"Session/one that has expired is ErrNotFound", expiredSession},
	}
}

func token(name string) sandlot.Digest { return sha256.Sum256([]byte("token " + name)) }

// session records a session of an account that lives for an hour.
func (s Stores) session(t *testing.T, a sandlot.Account, name string) sandlot.Session {
	t.Helper()
	in := sandlot.Session{
		Account: a.ID, Agent: "Browser " + name, CreatedAt: base(), ProvedAt: base().Add(time.Second),
		SeenAt: base().Add(2 * time.Second), ExpiresAt: base().Add(time.Hour),
	}
	in.ID = must(s.Accounts.AddSession(t.Context(), token(name), in))(t)
	return in
}

func addSession(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	in := s.session(t, a, "one")
	got, owner, err := s.Credentials.Session(t.Context(), token("one"), base())
	ok(t, err)
	same(t, "the session", got, in)
	same(t, "its account", owner, a)
	_, _, err = s.Credentials.Session(t.Context(), token("other"), base())
	wants(t, "another token", err, sandlot.ErrNotFound)
}

func expiredSession(t *testing.T, s Stores) {
	in := s.session(t, s.mustAccount(t, newAccount("kim")), "one")
	_, _, err := s.Credentials.Session(t.Context(), token("one"), in.ExpiresAt.Add(-time.Second))
	ok(t, err)
	_, _, err = s.Credentials.Session(t.Context(), token("one"), in.ExpiresAt)
	wants(t, "at its end", err, sandlot.ErrNotFound)
}
