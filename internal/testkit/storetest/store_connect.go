package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
)

func connectCases() []storeCase {
	return []storeCase{
		{"Connectable/returns the account of a code until it is past its ExpiresAt", connectable},
		{"Connectable/ErrNotFound as soon as its account has a verified address, is suspended or was deleted", connectEnds},
		{"Connect/makes all projects those of another, with their keys, and those in the trash", connectMoves},
		{"Connect/the codes, account keys and edit tokens of the former account end", connectKeys},
		{"Connect/a receiver without a verified address is ErrNotFound, a suspended one ErrSuspended", connectRefused},
		{"Connect/of two at once with one code one succeeds", connectRace},
		{"KeyByHash/an edit token is a key of its kind, until Sweep forgets it after 30 days without use", editToken},
	}
}

// guest records an account with a code, a project, a key of each kind and an edit token.
func (s Stores) guest(t *testing.T, name string) sandlot.Project {
	t.Helper()
	na := newAccount(name)
	na.Connect = publish.Connecting{Hash: sum("code of " + name), ExpiresAt: base().Add(time.Hour)}
	np := newProject("of-"+name, s.mustAccount(t, na).ID)
	np.Key.Kind, np.Key.Hash, np.Key.LastUsedAt = sandlot.EditToken, sum("token of "+name), base()
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	k := key("scoped of " + name)
	k.Project = p.ID
	ok(t, s.Management.MintKey(t.Context(), p.Account, k, 100, record(name)))
	return p
}

func whetherConnectable(t *testing.T, s Stores, name string, after time.Duration) error {
	t.Helper()
	_, err := s.Connects.Connectable(t.Context(), sum("code of "+name), base().Add(after))
	return err
}

func (s Stores) connect(t *testing.T, name string, to sandlot.AccountID) error {
	t.Helper()
	return s.Connects.Connect(background(), sum("code of "+name), to, entry(sandlot.ActionConnect, "@kim"))
}

func sweptAt(t *testing.T, s Stores, now time.Time) {
	t.Helper()
	_, _, err := s.Upkeep.Sweep(t.Context(), now, base(), 1000)
	ok(t, err)
}

func connectable(t *testing.T, s Stores) {
	p := s.guest(t, "guest")
	same(t, "the account", must(s.Connects.Connectable(t.Context(), sum("code of guest"), base()))(t).ID, p.Account)
	wants(t, "an hour later", whetherConnectable(t, s, "guest", time.Hour), sandlot.ErrNotFound)
	wants(t, "another code", whetherConnectable(t, s, "nobody", 0), sandlot.ErrNotFound)
	sweptAt(t, s, base().Add(time.Hour))
	wants(t, "swept", whetherConnectable(t, s, "guest", 0), sandlot.ErrNotFound)
}

func connectEnds(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	for name, end := range map[string]func(p sandlot.Project){
		"verified": func(p sandlot.Project) {
			ok(t, s.Connects.SetEmail(t.Context(), p.Account, "max@example.com", sandlot.Job{}, 0))
			a := must(s.Publish.Account(t.Context(), p.Account))(t)
			s.mustVerification(t, a, "link", base().Add(time.Hour))
			must(s.Accounts.UseVerification(t.Context(), sum("link"), base(), 0))(t)
		},
		"suspended": func(p sandlot.Project) {
			ok(t, s.Operate.Suspend(t.Context(), ofAccount(p.Account), entry(sandlot.ActionSuspend, "@x")))
		},
		"deleted": func(p sandlot.Project) {
			ok(t, s.Accounts.Remove(t.Context(), ofAccount(p.Account), entry(sandlot.ActionDelete, "@x")))
		},
	} {
		p := s.guest(t, name)
		ok(t, whetherConnectable(t, s, name, 0))
		end(p)
		wants(t, name, whetherConnectable(t, s, name, 0), sandlot.ErrNotFound)
		wants(t, name+" and taken", s.connect(t, name, kim.ID), sandlot.ErrNotFound)
		if now, err := s.Publish.Project(t.Context(), p.ID); err == nil {
			same(t, name+": its account", now.Account, p.Account)
		}
	}
}

func connectMoves(t *testing.T, s Stores) {
	kim, p := s.verified(t, "kim", "kim@example.com"), s.guest(t, "guest")
	gone := must(s.Publish.CreateProject(t.Context(), newProject("gone", p.Account)))(t)
	ok(t, s.Management.Trash(t.Context(), gone.ID, 0, entry(sandlot.ActionDelete, "gone")))
	ok(t, s.connect(t, "guest", kim.ID))
	now := must(s.Publish.Project(t.Context(), p.ID))(t)
	same(t, "the owner, and that it is verified", []any{now.Account, now.Handle, now.Verified}, []any{kim.ID, "kim", true})
	same(t, "who may take back what was deleted", s.trashed(t, gone.ID).Account, kim.ID)
	same(t, "its key's account", must(s.Credentials.KeyByHash(t.Context(), key("scoped of guest").Hash))(t).Account, kim.ID)
	same(t, "projects", must(s.Accounts.CountProjects(t.Context(), kim.ID))(t), 1)
	log := must(s.Operate.Log(t.Context(), operate.LogQuery{Limit: 1}))(t)
	same(t, "the log", []string{log[0].Action, log[0].Target, log[0].Reason}, []string{sandlot.ActionConnect, "@kim", "@guest"})
}

func connectKeys(t *testing.T, s Stores) {
	kim, p := s.verified(t, "kim", "kim@example.com"), s.guest(t, "guest")
	token := must(s.Credentials.KeyByHash(t.Context(), sum("token of guest")))(t)
	ok(t, s.connect(t, "guest", kim.ID))
	wants(t, "the code", whetherConnectable(t, s, "guest", 0), sandlot.ErrNotFound)
	for _, hash := range []sandlot.Digest{key("key of guest").Hash, sum("token of guest")} {
		_, err := s.Credentials.KeyByHash(t.Context(), hash)
		wants(t, "its keys", err, sandlot.ErrNotFound)
	}
	at := edit(p)
	at.By = token.ID
	_, err := s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), at)
	wants(t, "an edit that has begun with the token", err, sandlot.ErrRevoked)
}

func connectRefused(t *testing.T, s Stores) {
	kim, other, p := s.verified(t, "kim", "kim@example.com"), s.named(t, "other", "max@example.com"), s.guest(t, "guest")
	wants(t, "without a verified address", s.connect(t, "guest", other.ID), sandlot.ErrNotFound)
	wants(t, "its own account", s.connect(t, "guest", p.Account), sandlot.ErrNotFound)
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionSuspend, "@kim")))
	wants(t, "a suspended one", s.connect(t, "guest", kim.ID), sandlot.ErrSuspended)
	ok(t, whetherConnectable(t, s, "guest", 0))
	same(t, "its account", must(s.Publish.Project(t.Context(), p.ID))(t).Account, p.Account)
}

func connectRace(t *testing.T, s Stores) {
	s.guest(t, "guest")
	racers := []sandlot.Account{s.verified(t, "kim", "kim@example.com"), s.verified(t, "lee", "lee@example.com")}
	same(t, "how many have it", atOnce(t, 2, sandlot.ErrNotFound, func(i int) error { return s.connect(t, "guest", racers[i].ID) }), 1)
	same(t, "projects", must(s.Accounts.CountProjects(t.Context(), racers[0].ID))(t)+
		must(s.Accounts.CountProjects(t.Context(), racers[1].ID))(t), 1)
}

func editToken(t *testing.T, s Stores) {
	p := s.guest(t, "guest")
	k := must(s.Credentials.KeyByHash(t.Context(), sum("token of guest")))(t)
	same(t, "the key", []any{k.Kind, k.Project}, []any{sandlot.EditToken, p.ID})
	ok(t, s.Credentials.TouchKeys(t.Context(), map[int64]time.Time{k.ID: base().Add(time.Hour)}))
	sweptAt(t, s, base().Add(sandlot.EditTokenIdle))
	must(s.Credentials.KeyByHash(t.Context(), k.Hash))(t)
	sweptAt(t, s, base().Add(sandlot.EditTokenIdle+time.Hour))
	_, err := s.Credentials.KeyByHash(t.Context(), k.Hash)
	wants(t, "30 days after it was used", err, sandlot.ErrNotFound)
	must(s.Credentials.KeyByHash(t.Context(), key("scoped of guest").Hash))(t)
}
