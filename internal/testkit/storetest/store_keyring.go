package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

func keyringCases() []storeCase {
	return []storeCase{
		{"MintKey, RotateKey/a record that is there already is ErrAlreadyDone", formTwice},
		{"ReplaceOldKeys/adds an account key and revokes all keys that were made before the address was verified", replaceOldKeys},
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

func replaceOldKeys(t *testing.T, s Stores) {
	a, verified := s.withOldKeys(t)
	s.mustProject(t, "tetra")
	n, at, err := s.Management.OldKeys(t.Context(), a.ID)
	ok(t, err)
	same(t, "old keys, and since when", []any{n, at}, []any{2, verified})
	replace := func(name string) error {
		return s.Management.ReplaceOldKeys(t.Context(), a.ID, keyOf(name, verified.Add(time.Minute)), formRecord("replace"))
	}
	ok(t, replace("new"))
	wants(t, "again", replace("other"), sandlot.ErrAlreadyDone)
	same(t, "its keys", s.keysOf(t, a.ID), []string{"new", "later"})
	must(s.Credentials.KeyByHash(t.Context(), sum("key of tetra")))(t)
	n, _, err = s.Management.OldKeys(t.Context(), a.ID)
	ok(t, err)
	same(t, "old keys", n, 0)
}

func formTwice(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mint(t, p, "for the agent")
	k := key("other")
	k.Project = p.ID
	wants(t, "minted again", s.Management.MintKey(t.Context(), p.Account, k, 100, record("for the agent")), sandlot.ErrAlreadyDone)
	same(t, "its keys", s.keysOf(t, p.Account), []string{"for the agent", "key of project pong", "key of pong"})
	ok(t, s.Management.RotateKey(t.Context(), p.Account, key("fresh"), record("rotate")))
	wants(t, "rotated again", s.Management.RotateKey(t.Context(), p.Account, key("second"), record("rotate")), sandlot.ErrAlreadyDone)
	same(t, "its keys then", s.keysOf(t, p.Account), []string{"fresh", "for the agent", "key of project pong"})
}
