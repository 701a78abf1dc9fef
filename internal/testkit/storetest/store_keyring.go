package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

func keyringCases() []storeCase {
	return []storeCase{
		{"Keys/returns an account's keys with an ID below before, newest first, at most limit", listKeys},
		{"Keys/one that was revoked, or whose project was deleted, is not there", listKeysInForce},
		{"MintKey/adds a key for a project", mintKey},
		{"MintKey/a project that is another account's is ErrNotFound", mintForeign},
		{"MintKey/limit keys of that project are ErrTooMany", mintTooMany},
		{"MintKey/a record that is there already is ErrAlreadyDone", mintAlreadyDone},
		{"RotateKey/adds an account key and revokes all others of the account", rotateKey},
		{"RotateKey/a record that is there already is ErrAlreadyDone", rotateAlreadyDone},
		{"OldKeys/counts the keys of an account that were made before its address was verified, and tells when that was", oldKeys},
		{"ReplaceOldKeys/adds an account key and revokes all keys that were made before the address was verified", replaceOldKeys},
		{"ReplaceOldKeys/a record that is there already is ErrAlreadyDone", replaceAlreadyDone},
		{"RevokeKey/revokes one of an account's keys, which may be revoked already", revokeKey},
		{"RevokeKey/another account's is ErrNotFound", revokeForeign},
	}
}

func record(form string) publish.IdempotencyRecord {
	return publish.IdempotencyRecord{Key: sum("form " + form), ExpiresAt: time.Now().UTC().Add(time.Hour)}
}

// keysOf are the names of an account's keys.
func (s Stores) keysOf(t *testing.T, a sandlot.AccountID) (names []string) {
	t.Helper()
	for _, k := range must(s.Management.Keys(t.Context(), a, 0, 100))(t) {
		names = append(names, k.Name)
	}
	return names
}

func (s Stores) mint(t *testing.T, p sandlot.Project, name string) sandlot.Key {
	t.Helper()
	k := key(name)
	k.Project = p.ID
	ok(t, s.Management.MintKey(t.Context(), p.Account, k, 100, record(name)))
	return must(s.Credentials.KeyByHash(t.Context(), k.Hash))(t)
}

func listKeys(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustProject(t, "other")
	minted := s.mint(t, p, "for the agent")
	list := must(s.Management.Keys(t.Context(), p.Account, 0, 2))(t)
	same(t, "the newest", list[0], minted)
	same(t, "how many", len(list), 2)
	rest := must(s.Management.Keys(t.Context(), p.Account, list[1].ID, 2))(t)
	same(t, "the rest", []any{len(rest), rest[0].Name, rest[0].Kind}, []any{1, "key of pong", sandlot.AccountKey})
	same(t, "one of a project", list[1].Project, sandlot.ProjectID("pong"))
}

func listKeysInForce(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	gone := must(s.Publish.CreateProject(t.Context(), newProject("gone", p.Account)))(t)
	s.Revoke(t, s.mint(t, p, "revoked").Hash)
	ok(t, s.Operate.Remove(t.Context(), sandlot.Subject{Project: gone.ID}, entry(sandlot.ActionDelete, "gone")))
	same(t, "its keys", s.keysOf(t, p.Account), []string{"key of project pong", "key of pong"})
}

func mintKey(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	k := s.mint(t, p, "for the agent")
	same(t, "the key", []any{k.Kind, k.Account, k.Project, k.Name, k.LastFour, k.LastUsedAt.IsZero()},
		[]any{sandlot.ProjectKey, p.Account, p.ID, "for the agent", "Ab12", true})
}

func mintForeign(t *testing.T, s Stores) {
	mine, other := s.mustProject(t, "mine"), s.mustProject(t, "other")
	for _, id := range []sandlot.ProjectID{other.ID, "nothing"} {
		k := key("mint")
		k.Project = id
		wants(t, string(id), s.Management.MintKey(t.Context(), mine.Account, k, 100, record("mint")), sandlot.ErrNotFound)
		_, err := s.Credentials.KeyByHash(t.Context(), k.Hash)
		wants(t, "its key", err, sandlot.ErrNotFound)
	}
}

func mintTooMany(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong") // which has a key
	k := key("two")
	k.Project = p.ID
	ok(t, s.Management.MintKey(t.Context(), p.Account, k, 2, record("two")))
	k = key("three")
	k.Project = p.ID
	wants(t, "the third", s.Management.MintKey(t.Context(), p.Account, k, 2, record("three")), publish.ErrTooMany)
	s.Revoke(t, sum("two"))
	ok(t, s.Management.MintKey(t.Context(), p.Account, k, 2, record("three")))
}

func mintAlreadyDone(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mint(t, p, "for the agent")
	k := key("other")
	k.Project = p.ID
	wants(t, "again", s.Management.MintKey(t.Context(), p.Account, k, 100, record("for the agent")), sandlot.ErrAlreadyDone)
	same(t, "its keys", s.keysOf(t, p.Account), []string{"for the agent", "key of project pong", "key of pong"})
}

func rotateKey(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "other")
	ok(t, s.Management.RotateKey(t.Context(), p.Account, key("fresh"), record("rotate")))
	same(t, "its keys", s.keysOf(t, p.Account), []string{"fresh", "key of project pong"})
	_, err := s.Credentials.KeyByHash(t.Context(), sum("key of pong"))
	wants(t, "the old one", err, sandlot.ErrNotFound)
	same(t, "another's", len(s.keysOf(t, other.Account)), 2)
	wants(t, "of no account", s.Management.RotateKey(t.Context(), other.Account+1, key("none"), record("none")), sandlot.ErrNotFound)
}

func rotateAlreadyDone(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	ok(t, s.Management.RotateKey(t.Context(), p.Account, key("fresh"), record("rotate")))
	wants(t, "again", s.Management.RotateKey(t.Context(), p.Account, key("second"), record("rotate")), sandlot.ErrAlreadyDone)
	must(s.Credentials.KeyByHash(t.Context(), sum("fresh")))(t)
}

func revokeKey(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	k := s.mint(t, p, "for the agent")
	ok(t, s.Management.RevokeKey(t.Context(), p.Account, k.ID, base()))
	_, err := s.Credentials.KeyByHash(t.Context(), k.Hash)
	wants(t, "the key", err, sandlot.ErrNotFound)
	ok(t, s.Management.RevokeKey(t.Context(), p.Account, k.ID, base()))
}

func revokeForeign(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "other")
	k := s.mint(t, p, "for the agent")
	wants(t, "another account's", s.Management.RevokeKey(t.Context(), other.Account, k.ID, base()), sandlot.ErrNotFound)
	wants(t, "one that is not there", s.Management.RevokeKey(t.Context(), p.Account, k.ID+1, base()), sandlot.ErrNotFound)
	must(s.Credentials.KeyByHash(t.Context(), k.Hash))(t)
}

// keyOf is a key that was made at a time.
func keyOf(name string, at time.Time) sandlot.Key {
	k := key(name)
	k.CreatedAt = at
	return k
}

// withOldKeys records an account with two keys, whose address is verified a minute
// later, and a key that is made after that.
func (s Stores) withOldKeys(t *testing.T) (a sandlot.Account, verified time.Time) {
	t.Helper()
	na := newAccount("kim")
	na.Email = "kim@example.com"
	a = s.mustAccount(t, na)
	must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	verified = base().Add(time.Minute)
	must(s.Accounts.UseVerification(t.Context(), sum("token"), verified))(t)
	later := keyOf("later", verified.Add(time.Second))
	later.Project = "pong"
	ok(t, s.Management.MintKey(t.Context(), a.ID, later, 9, formRecord("mint")))
	return a, verified
}

func formRecord(name string) publish.IdempotencyRecord {
	return publish.IdempotencyRecord{Key: sum(name), ExpiresAt: base().Add(time.Hour)}
}

func oldKeys(t *testing.T, s Stores) {
	a, verified := s.withOldKeys(t)
	n, at, err := s.Management.OldKeys(t.Context(), a.ID)
	ok(t, err)
	same(t, "old keys", n, 2)
	same(t, "verified at", at, verified)
	lee := s.mustAccount(t, newAccount("lee"))
	n, at, err = s.Management.OldKeys(t.Context(), lee.ID)
	ok(t, err)
	same(t, "of an account without a verified address", []any{n, at.IsZero()}, []any{0, true})
	_, _, err = s.Management.OldKeys(t.Context(), 99)
	wants(t, "of no account", err, sandlot.ErrNotFound)
	s.mustRemove(t, "pong")
	n, _, err = s.Management.OldKeys(t.Context(), a.ID)
	ok(t, err)
	same(t, "when its project is gone", n, 1)
}

func replaceOldKeys(t *testing.T, s Stores) {
	a, verified := s.withOldKeys(t)
	s.mustProject(t, "tetra")
	ok(t, s.Management.ReplaceOldKeys(t.Context(), a.ID, keyOf("new", verified.Add(time.Minute)), formRecord("replace")))
	for _, old := range []string{"key of kim", "key of project pong"} {
		wants(t, old, drop(s.Credentials.KeyByHash(t.Context(), sum(old))), sandlot.ErrNotFound)
	}
	for _, stays := range []string{"later", "new", "key of tetra"} {
		must(s.Credentials.KeyByHash(t.Context(), sum(stays)))(t)
	}
	n, _, err := s.Management.OldKeys(t.Context(), a.ID)
	ok(t, err)
	same(t, "old keys", n, 0)
	wants(t, "of no account", s.Management.ReplaceOldKeys(t.Context(), 99, keyOf("other", verified), formRecord("other")), sandlot.ErrNotFound)
}

func replaceAlreadyDone(t *testing.T, s Stores) {
	a, verified := s.withOldKeys(t)
	ok(t, s.Management.ReplaceOldKeys(t.Context(), a.ID, keyOf("new", verified.Add(time.Minute)), formRecord("replace")))
	wants(t, "again", s.Management.ReplaceOldKeys(t.Context(), a.ID, keyOf("other", verified.Add(time.Minute)), formRecord("replace")), sandlot.ErrAlreadyDone)
	wants(t, "its key", drop(s.Credentials.KeyByHash(t.Context(), sum("other"))), sandlot.ErrNotFound)
}
