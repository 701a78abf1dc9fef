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
		{"Session/one of an account that is gone is ErrNotFound", sessionOfGone},
		{"SeeSession/records that a session was seen, and until when it lives now", seeSession},
		{"Sessions/returns an account's sessions that have not expired, newest first", listSessions},
		{"EndSession/one that is over or another account's is ErrNotFound", endSession},
		{"EndSessions/ends all of an account's sessions but one", endSessions},
		{"Sweep/forgets expired sessions", sweepSessions},
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

func sessionOfGone(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	s.session(t, a, "one")
	ok(t, s.Operate.Remove(t.Context(), sandlot.Subject{Account: a.ID}, entry(sandlot.ActionDelete, "@kim")))
	_, _, err := s.Credentials.Session(t.Context(), token("one"), base())
	wants(t, "of an account that is gone", err, sandlot.ErrNotFound)
}

func seeSession(t *testing.T, s Stores) {
	in := s.session(t, s.mustAccount(t, newAccount("kim")), "one")
	in.SeenAt, in.ExpiresAt = base().Add(time.Minute), base().Add(2*time.Hour)
	ok(t, s.Credentials.SeeSession(t.Context(), in.ID, in.SeenAt, in.ExpiresAt))
	got, _, err := s.Credentials.Session(t.Context(), token("one"), base().Add(90*time.Minute))
	ok(t, err)
	same(t, "the session", got, in)
}

func listSessions(t *testing.T, s Stores) {
	kim, lee := s.mustAccount(t, newAccount("kim")), s.mustAccount(t, newAccount("lee"))
	first, second := s.session(t, kim, "one"), s.session(t, kim, "two")
	s.session(t, lee, "three")
	same(t, "kim's", must(s.Accounts.Sessions(t.Context(), kim.ID, base()))(t), []sandlot.Session{second, first})
	same(t, "kim's later", len(must(s.Accounts.Sessions(t.Context(), kim.ID, second.ExpiresAt))(t)), 0)
}

func endSession(t *testing.T, s Stores) {
	kim, lee := s.mustAccount(t, newAccount("kim")), s.mustAccount(t, newAccount("lee"))
	in := s.session(t, kim, "one")
	wants(t, "another account's", s.Accounts.EndSession(t.Context(), lee.ID, in.ID), sandlot.ErrNotFound)
	ok(t, s.Accounts.EndSession(t.Context(), kim.ID, in.ID))
	_, _, err := s.Credentials.Session(t.Context(), token("one"), base())
	wants(t, "ended", err, sandlot.ErrNotFound)
	wants(t, "ended twice", s.Accounts.EndSession(t.Context(), kim.ID, in.ID), sandlot.ErrNotFound)
}

func endSessions(t *testing.T, s Stores) {
	kim, lee := s.mustAccount(t, newAccount("kim")), s.mustAccount(t, newAccount("lee"))
	s.session(t, kim, "one")
	kept := s.session(t, kim, "two")
	other := s.session(t, lee, "three")
	ok(t, s.Accounts.EndSessions(t.Context(), kim.ID, kept.ID))
	same(t, "kim's", must(s.Accounts.Sessions(t.Context(), kim.ID, base()))(t), []sandlot.Session{kept})
	ok(t, s.Accounts.EndSessions(t.Context(), kim.ID, 0))
	same(t, "kim's after all", len(must(s.Accounts.Sessions(t.Context(), kim.ID, base()))(t)), 0)
	same(t, "lee's", must(s.Accounts.Sessions(t.Context(), lee.ID, base()))(t), []sandlot.Session{other})
}

func sweepSessions(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	in := s.session(t, a, "one")
	_, _, err := s.Upkeep.Sweep(t.Context(), in.ExpiresAt, base(), 100)
	ok(t, err)
	same(t, "sessions, read as of before", len(must(s.Accounts.Sessions(t.Context(), a.ID, base()))(t)), 0)
}
