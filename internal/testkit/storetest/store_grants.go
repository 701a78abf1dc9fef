package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
)

func grantCases() []storeCase {
	return []storeCase{
		{"KeyByToken/returns the key of a grant by its access tokens alone, and KeyByHash never does", grantFound},
		{"AddGrant/one with the Hash of a key that is there ends that one, and is none", grantTwice},
		{"AddGrant/of two at once none lives", grantRace},
		{"AddGrant/a suspended account is ErrSuspended, another's project ErrNotFound", grantRefused},
		{"KeyByToken/one whose grant was revoked or belongs to a deleted project or account is ErrNotFound", grantEnds},
		{"AddGrant/is listed with its client, and stays when account keys are replaced", grantListed},
		{"EndGrant/ends the grant that a code has made, if it has made one", endGrant},
		{"EndGrantOf/ends the grant of a token, if it is the client's", endGrantOf},
		{"Renew/records the Pair, and the old token works until RefreshGrace has passed", renew},
		{"Renew/an old token after that ends the grant", renewAgain},
		{"Renew/of two at once both get a Pair", renewRace},
		{"Device/returns a device that waits, until it is past its ExpiresAt", device},
		{"Decide/of two calls the second is ErrNotFound", decideTwice},
		{"Decide/a grant that cannot be made leaves the device waiting", decideRefused},
		{"Poll/pending, slow, denied, expired", poll},
		{"Poll/of several calls one gets the Pair", pollRace},
		{"Poll/a grant that was ended meanwhile is Denied", pollEnded},
		{"Sweep/forgets tokens and devices that have ended, with the grants that have none left", sweepGrants},
		{"Connect/the account's grants end, and those of projects move", grantsMove},
	}
}

// tokens returns the tokens that are named after a text, from a time on.
func tokens(name string, at time.Time) oauth.Pair {
	return oauth.Pair{
		Access: oauth.Token{Hash: sum("access " + name), ExpiresAt: at.Add(oauth.AccessLife)},
		Fresh:  oauth.Token{Hash: sum("fresh " + name), ExpiresAt: at.Add(oauth.RefreshLife)},
	}
}

// granted is a grant for an account, or for one project of it, as the code of that name makes it.
func granted(name string, a sandlot.AccountID, p sandlot.ProjectID, at time.Time) oauth.Grant {
	k := sandlot.Key{Hash: sum("code " + name), Account: a, Project: p, Client: "client", Name: name, CreatedAt: at}
	return oauth.Grant{Key: k, Pair: tokens(name, at)}
}

func addGrant(t *testing.T, s Stores, name string, a sandlot.AccountID, p sandlot.ProjectID, at time.Time) {
	t.Helper()
	same(t, "made again", must(s.Grants.AddGrant(t.Context(), granted(name, a, p, at)))(t), false)
}

// byToken returns the error of the look-up of an access token.
func byToken(t *testing.T, s Stores, name string, at time.Time) error {
	t.Helper()
	_, err := s.Credentials.KeyByToken(t.Context(), sum("access "+name), at)
	return err
}

func renewed(s Stores, old, name string, at time.Time) (sandlot.Key, bool, error) {
	return s.Grants.Renew(background(), oauth.Renewal{Old: sum("fresh " + old), Client: "client", At: at, Pair: tokens(name, at)})
}

func grantFound(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), base()
	addGrant(t, s, "one", p.Account, "", at)
	addGrant(t, s, "two", p.Account, p.ID, at)
	for name, want := range map[string]sandlot.Key{
		"one": {Kind: sandlot.AccountKey, Account: p.Account}, "two": {Kind: sandlot.ProjectKey, Account: p.Account, Project: p.ID},
	} {
		k := must(s.Credentials.KeyByToken(t.Context(), sum("access "+name), at))(t)
		want.ID, want.Hash, want.Client, want.Name, want.CreatedAt, want.LastUsedAt = k.ID, sum("code "+name), "client", name, at, k.LastUsedAt
		same(t, name, k, want)
	}
	for _, hash := range []sandlot.Digest{sum("code one"), sum("fresh one"), sum("access one")} {
		_, err := s.Credentials.KeyByHash(t.Context(), hash)
		wants(t, "as a key", err, sandlot.ErrNotFound)
	}
	_, err := s.Credentials.KeyByToken(t.Context(), sum("fresh one"), at)
	wants(t, "a refresh token", err, sandlot.ErrNotFound)
	ok(t, byToken(t, s, "one", at.Add(oauth.AccessLife-time.Microsecond)))
	wants(t, "an hour later", byToken(t, s, "one", at.Add(oauth.AccessLife)), sandlot.ErrNotFound)
}

func grantTwice(t *testing.T, s Stores) {
	a, at := s.mustAccount(t, newAccount("kim")), base()
	addGrant(t, s, "one", a.ID, "", at)
	g := granted("one", a.ID, "", at)
	g.Pair = tokens("second", at)
	same(t, "again", must(s.Grants.AddGrant(t.Context(), g))(t), true)
	wants(t, "the first", byToken(t, s, "one", at), sandlot.ErrNotFound)
	wants(t, "the second", byToken(t, s, "second", at), sandlot.ErrNotFound)
	same(t, "a third time", must(s.Grants.AddGrant(t.Context(), g))(t), true)
}

func grantRace(t *testing.T, s Stores) {
	a, at := s.mustAccount(t, newAccount("kim")), base()
	again := make(chan bool, 2)
	same(t, "done", atOnce(t, 2, nil, func(i int) error {
		g := granted("one", a.ID, "", at)
		g.Pair = tokens([]string{"a", "b"}[i], at)
		was, err := s.Grants.AddGrant(background(), g)
		again <- was
		return err
	}), 2)
	one, other := <-again, <-again
	same(t, "one was the second", one != other, true)
	for _, name := range []string{"a", "b"} {
		wants(t, name, byToken(t, s, name, at), sandlot.ErrNotFound)
	}
}

func grantRefused(t *testing.T, s Stores) {
	p, q, at := s.mustProject(t, "pong"), s.mustProject(t, "tetra"), base()
	_, err := s.Grants.AddGrant(t.Context(), granted("one", p.Account, q.ID, at))
	wants(t, "another's project", err, sandlot.ErrNotFound)
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(p.Account), entry(sandlot.ActionSuspend, "@pong")))
	_, err = s.Grants.AddGrant(t.Context(), granted("one", p.Account, "", at))
	wants(t, "a suspended account", err, sandlot.ErrSuspended)
	ok(t, s.Accounts.Remove(t.Context(), ofAccount(q.Account), entry(sandlot.ActionDelete, "@tetra")))
	_, err = s.Grants.AddGrant(t.Context(), granted("one", q.Account, "", at))
	wants(t, "a deleted account", err, sandlot.ErrNotFound)
}

func grantEnds(t *testing.T, s Stores) {
	at := base()
	for name, end := range map[string]func(p sandlot.Project, k sandlot.Key) error{
		"revoked": func(p sandlot.Project, k sandlot.Key) error {
			return s.Management.RevokeKey(t.Context(), p.Account, k.ID, at)
		},
		"without-project": func(p sandlot.Project, _ sandlot.Key) error {
			return s.Accounts.Remove(t.Context(), ofProject(p.ID), entry(sandlot.ActionDelete, string(p.ID)))
		},
		"without-account": func(p sandlot.Project, _ sandlot.Key) error {
			return s.Accounts.Remove(t.Context(), ofAccount(p.Account), entry(sandlot.ActionDelete, "@x"))
		},
	} {
		p := s.mustProject(t, name)
		addGrant(t, s, name, p.Account, p.ID, at)
		k := must(s.Credentials.KeyByToken(t.Context(), sum("access "+name), at))(t)
		ok(t, end(p, k))
		wants(t, name, byToken(t, s, name, at), sandlot.ErrNotFound)
		_, _, err := renewed(s, name, name+" 2", at)
		wants(t, name+": its refresh token", err, sandlot.ErrNotFound)
		change := edit(p)
		change.By = k.ID
		_, err = s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), change)
		same(t, name+": an edit that has begun with it is refused", err != nil, true)
	}
}

func grantListed(t *testing.T, s Stores) {
	a, at := s.verified(t, "kim", "kim@example.com"), base()
	before := at.Add(-time.Hour)
	addGrant(t, s, "one", a.ID, "", before)
	ok(t, s.Management.RotateKey(t.Context(), a.ID, key("new"), record("a")))
	ok(t, s.Management.ReplaceOldKeys(t.Context(), a.ID, key("newer"), record("b")))
	n, _, err := s.Management.OldKeys(t.Context(), a.ID)
	ok(t, err)
	same(t, "old keys", n, 0)
	list := must(s.Management.Keys(t.Context(), a.ID, 0, 9))(t)
	clients := map[string]string{}
	for _, k := range list {
		clients[k.Name] = k.Client
	}
	same(t, "clients", clients, map[string]string{"one": "client", "new": "", "newer": ""})
	ok(t, byToken(t, s, "one", before))
	must(s.Operate.AddKey(t.Context(), a.ID, key("newest"), true, entry(sandlot.ActionNewKey, "@kim")))(t)
	wants(t, "when the operator revokes all", byToken(t, s, "one", before), sandlot.ErrNotFound)
}

func endGrant(t *testing.T, s Stores) {
	a, at := s.mustAccount(t, newAccount("kim")), base()
	addGrant(t, s, "one", a.ID, "", at)
	for _, hash := range []sandlot.Digest{sum("another"), sum("access one"), key("key of kim").Hash} {
		ok(t, s.Grants.EndGrant(t.Context(), hash, at))
	}
	ok(t, byToken(t, s, "one", at))
	must(s.Credentials.KeyByHash(t.Context(), key("key of kim").Hash))(t)
	ok(t, s.Grants.EndGrant(t.Context(), sum("code one"), at))
	wants(t, "ended", byToken(t, s, "one", at), sandlot.ErrNotFound)
}

func endGrantOf(t *testing.T, s Stores) {
	a, at := s.mustAccount(t, newAccount("kim")), base()
	for _, kind := range []string{"access ", "fresh "} {
		addGrant(t, s, kind, a.ID, "", at)
		ok(t, s.Grants.EndGrantOf(t.Context(), sum(kind+kind), "another", at))
		ok(t, s.Grants.EndGrantOf(t.Context(), sum("nothing"), "client", at))
		ok(t, byToken(t, s, kind, at))
		ok(t, s.Grants.EndGrantOf(t.Context(), sum(kind+kind), "client", at))
		wants(t, kind, byToken(t, s, kind, at), sandlot.ErrNotFound)
	}
}

func renew(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), base()
	addGrant(t, s, "one", p.Account, p.ID, at)
	_, _, err := s.Grants.Renew(t.Context(), oauth.Renewal{Old: sum("fresh one"), Client: "another", At: at, Pair: tokens("x", at)})
	wants(t, "another client", err, sandlot.ErrNotFound)
	_, _, err = renewed(s, "one", "x", at.Add(oauth.RefreshLife))
	wants(t, "past its ExpiresAt", err, sandlot.ErrNotFound)
	_, _, err = s.Grants.Renew(t.Context(), oauth.Renewal{Old: sum("access one"), Client: "client", At: at, Pair: tokens("x", at)})
	wants(t, "an access token", err, sandlot.ErrNotFound)
	for i, name := range []string{"two", "three"} {
		k, again, err := renewed(s, "one", name, at.Add(time.Duration(i)*(oauth.RefreshGrace-time.Microsecond)))
		ok(t, err)
		same(t, name, []any{again, k.Project, k.Client}, []any{false, p.ID, "client"})
		ok(t, byToken(t, s, name, at))
	}
	for _, name := range []string{"two", "three"} {
		_, again, err := renewed(s, name, name+" 2", at.Add(time.Hour))
		ok(t, err)
		same(t, name+" later", again, false)
	}
}

func renewAgain(t *testing.T, s Stores) {
	a, at := s.mustAccount(t, newAccount("kim")), base()
	for name, again := range map[string]time.Duration{
		"later": oauth.RefreshGrace, "much later": 20 * 24 * time.Hour, "after the clock was set back": -oauth.RefreshGrace,
	} {
		addGrant(t, s, name, a.ID, "", at)
		must(first3(renewed(s, name, name+" 2", at)))(t)
		must(first3(renewed(s, name+" 2", name+" 3", at)))(t)
		_, was, err := renewed(s, name, name+" 4", at.Add(again))
		ok(t, err)
		same(t, name, was, true)
		for _, n := range []string{name, name + " 2", name + " 3", name + " 4"} {
			wants(t, n, byToken(t, s, n, at), sandlot.ErrNotFound)
		}
		_, _, err = renewed(s, name+" 3", name+" 5", at)
		wants(t, name+": the last one", err, sandlot.ErrNotFound)
	}
}

// first3 leaves out the second of three results.
func first3[A, B any](a A, _ B, err error) (A, error) { return a, err }

func renewRace(t *testing.T, s Stores) {
	a, at := s.mustAccount(t, newAccount("kim")), base()
	addGrant(t, s, "one", a.ID, "", at)
	names := []string{"a", "b"}
	same(t, "done", atOnce(t, 2, nil, func(i int) error { return second3(renewed(s, "one", names[i], at)) }), 2)
	for _, name := range names {
		ok(t, byToken(t, s, name, at))
		_, again, err := renewed(s, name, name+" 2", at.Add(time.Hour))
		ok(t, err)
		same(t, name, again, false)
	}
}

// second3 returns the error of three results.
func second3[A, B any](_ A, _ B, err error) error { return err }

// device records a device that waits, named after a text.
func addDevice(t *testing.T, s Stores, name string, at time.Time) oauth.Waiting {
	t.Helper()
	w := oauth.Waiting{
		Code: sum("device " + name), UserCode: sum("user " + name), Client: oauth.Client{ID: "client", Name: name},
		Project: "pong", Scope: oauth.ScopeProject, CreatedAt: at, ExpiresAt: at.Add(oauth.DeviceLife),
	}
	ok(t, s.Grants.AddDevice(t.Context(), w))
	return w
}

func decide(s Stores, name string, a sandlot.AccountID, at time.Time) error {
	g := granted(name, a, "", at)
	g.Key.Hash = sum("device " + name)
	return s.Grants.Decide(background(), sum("user "+name), &g.Key, at)
}

// polled returns the state of a device that asks for a pair of that name.
func polled(t *testing.T, s Stores, device, name string, at time.Time) oauth.State {
	t.Helper()
	p := oauth.Poll{Code: sum("device " + device), Client: "client", At: at, Pair: tokens(name, at)}
	return must(first3(s.Grants.Poll(t.Context(), p)))(t)
}

func device(t *testing.T, s Stores) {
	at := base()
	w := addDevice(t, s, "one", at)
	same(t, "as it was recorded", must(s.Grants.Device(t.Context(), w.UserCode, at))(t), w)
	_, err := s.Grants.Device(t.Context(), w.UserCode, w.ExpiresAt)
	wants(t, "past its ExpiresAt", err, sandlot.ErrNotFound)
	_, err = s.Grants.Device(t.Context(), w.Code, at)
	wants(t, "by its device_code", err, sandlot.ErrNotFound)
}

func decideTwice(t *testing.T, s Stores) {
	a, at := s.mustAccount(t, newAccount("kim")), base()
	for name, first := range map[string]func(w oauth.Waiting) error{
		"yes": func(oauth.Waiting) error { return decide(s, "yes", a.ID, at) },
		"no":  func(w oauth.Waiting) error { return s.Grants.Decide(t.Context(), w.UserCode, nil, at) },
	} {
		w := addDevice(t, s, name, at)
		ok(t, first(w))
		_, err := s.Grants.Device(t.Context(), w.UserCode, at)
		wants(t, name+" as one that waits", err, sandlot.ErrNotFound)
		wants(t, name+", then yes", decide(s, name, a.ID, at), sandlot.ErrNotFound)
		wants(t, name+", then no", s.Grants.Decide(t.Context(), w.UserCode, nil, at), sandlot.ErrNotFound)
	}
	addDevice(t, s, "both", at)
	same(t, "two at once", atOnce(t, 2, sandlot.ErrNotFound, func(int) error { return decide(s, "both", a.ID, at) }), 1)
	wants(t, "past its ExpiresAt", decide(s, addDevice(t, s, "late", at).Client.Name, a.ID, at.Add(oauth.DeviceLife)), sandlot.ErrNotFound)
}

func decideRefused(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), base()
	w := addDevice(t, s, "one", at)
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(p.Account), entry(sandlot.ActionSuspend, "@pong")))
	wants(t, "a suspended account", decide(s, "one", p.Account, at), sandlot.ErrSuspended)
	must(s.Grants.Device(t.Context(), w.UserCode, at))(t)
}

func poll(t *testing.T, s Stores) {
	a, at := s.mustAccount(t, newAccount("kim")), base()
	after := func(d time.Duration) time.Time { return at.Add(d) }
	w := addDevice(t, s, "one", at)
	for _, step := range []struct {
		at   time.Duration
		want oauth.State
	}{
		{0, oauth.Pending},
		{oauth.DeviceInterval, oauth.Pending},
		{2*oauth.DeviceInterval - 1000, oauth.Slow}, // from now on 10 s
		{4*oauth.DeviceInterval - 2000, oauth.Slow}, // 15 s
		{7*oauth.DeviceInterval - 2000, oauth.Pending},
		{oauth.DeviceLife, oauth.Expired},
	} {
		same(t, step.at.String(), polled(t, s, "one", "x", after(step.at)), step.want)
	}
	_, _, err := s.Grants.Poll(t.Context(), oauth.Poll{Code: w.Code, Client: "another", At: at})
	wants(t, "another client", err, sandlot.ErrNotFound)
	_, _, err = s.Grants.Poll(t.Context(), oauth.Poll{Code: w.UserCode, Client: "client", At: at})
	wants(t, "by its user_code", err, sandlot.ErrNotFound)
	w = addDevice(t, s, "no", at)
	ok(t, s.Grants.Decide(t.Context(), w.UserCode, nil, at))
	same(t, "denied", polled(t, s, "no", "x", at), oauth.Denied)
	wants(t, "the tokens of all these", byToken(t, s, "x", at), sandlot.ErrNotFound)
	addDevice(t, s, "yes", at)
	ok(t, decide(s, "yes", a.ID, at))
	same(t, "past its ExpiresAt", polled(t, s, "yes", "y", after(oauth.DeviceLife)), oauth.Expired)
}

func pollRace(t *testing.T, s Stores) {
	a, at := s.mustAccount(t, newAccount("kim")), base()
	addDevice(t, s, "one", at)
	ok(t, decide(s, "one", a.ID, at))
	names := []string{"a", "b", "c"}
	got := make(chan oauth.State, len(names))
	same(t, "how many got an answer", atOnce(t, len(names), sandlot.ErrNotFound, func(i int) error {
		state, k, err := s.Grants.Poll(background(), oauth.Poll{Code: sum("device one"), Client: "client", At: at, Pair: tokens(names[i], at)})
		if err == nil && k.Account == a.ID {
			got <- state
		}
		return err
	}), 1)
	same(t, "its state", <-got, oauth.Granted)
	alive := 0
	for _, name := range names {
		if byToken(t, s, name, at) == nil {
			alive++
		}
	}
	same(t, "pairs that work", alive, 1)
}

func pollEnded(t *testing.T, s Stores) {
	a, at := s.mustAccount(t, newAccount("kim")), base()
	addDevice(t, s, "one", at)
	ok(t, decide(s, "one", a.ID, at))
	k := must(s.Management.Keys(t.Context(), a.ID, 0, 1))(t)[0]
	same(t, "the newest key", k.Client, "client")
	ok(t, s.Management.RevokeKey(t.Context(), a.ID, k.ID, at))
	same(t, "then", polled(t, s, "one", "x", at), oauth.Denied)
	wants(t, "its token", byToken(t, s, "x", at), sandlot.ErrNotFound)
}

func sweepGrants(t *testing.T, s Stores) {
	a, at := s.mustAccount(t, newAccount("kim")), base()
	addGrant(t, s, "one", a.ID, "", at)
	addGrant(t, s, "two", a.ID, "", at)
	must(first3(renewed(s, "two", "two 2", at.Add(time.Hour))))(t)
	addDevice(t, s, "never-fetched", at)
	ok(t, decide(s, "never-fetched", a.ID, at))
	addDevice(t, s, "fetched", at)
	ok(t, decide(s, "fetched", a.ID, at))
	same(t, "fetched", polled(t, s, "fetched", "three", at), oauth.Granted)
	names := func() []string { return keysOf(t, s, a.ID) }
	sweptAt(t, s, at.Add(oauth.DeviceLife))
	same(t, "after 10 minutes", names(), []string{"fetched", "two", "one", "key of kim"})
	sweptAt(t, s, at.Add(oauth.RefreshLife-time.Hour))
	same(t, "before the refresh tokens end", names(), []string{"fetched", "two", "one", "key of kim"})
	sweptAt(t, s, at.Add(oauth.RefreshLife))
	same(t, "after", names(), []string{"two", "key of kim"})
	_, again, err := renewed(s, "two 2", "two 3", at.Add(oauth.RefreshLife))
	ok(t, err)
	same(t, "its own", again, false)
}

func grantsMove(t *testing.T, s Stores) {
	kim, p, at := s.verified(t, "kim", "kim@example.com"), s.guest(t, "guest"), base()
	addGrant(t, s, "all", p.Account, "", at)
	addGrant(t, s, "one", p.Account, p.ID, at)
	ok(t, s.connect(t, "guest", kim.ID))
	wants(t, "of the account", byToken(t, s, "all", at), sandlot.ErrNotFound)
	same(t, "of the project", must(s.Credentials.KeyByToken(t.Context(), sum("access one"), at))(t).Account, kim.ID)
}
