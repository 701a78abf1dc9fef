package cli

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"sandlot/internal/client/client"
)

type logoutCommand struct {
	host
	Force bool `help:"Also without an answer of the server, and from an account that nobody could get back to. (default: refuse then)"`
}

// Run ends the logins at the server and removes them here. Where there is none, it removes the keys, which still work.
func (c *logoutCommand) Run(ctx context.Context, env *Env) error {
	s, err := target{host: c.host}.here(env)
	if err != nil {
		return err
	}
	ring, err := env.keyring()
	if err != nil {
		return err
	}
	unlock, err := ring.lock()
	if err != nil {
		return ring.unkept(err)
	}
	defer unlock()
	s.keys, err = ring.read(s.server())
	if err != nil {
		return err
	}
	logins := slices.DeleteFunc(slices.Clone(s.keys), func(k keptKey) bool { return !k.login() })
	if len(logins) > 0 {
		err = s.endLogins(ctx, logins)
	} else {
		err = s.mayForget(ctx)
	}
	if err != nil && !c.Force {
		return err
	}
	return c.forget(s, ring, len(logins))
}

// endLogins ends logins at the server.
func (s *session) endLogins(ctx context.Context, logins []keptKey) error {
	for _, k := range logins {
		if err := s.call(ctx, func() error { return s.Revoke(ctx, k.Refresh) }); err != nil {
			return s.explain(ctx, err)
		}
	}
	return nil
}

// mayForget refuses to remove the key of an account that its owner could not log in to.
func (s *session) mayForget(ctx context.Context) error {
	for _, k := range s.keys {
		if !k.whole() {
			continue
		}
		s.Key = k.Key
		who, err := s.whoAmI(ctx, 1)
		switch {
		case errors.Is(err, client.Code("invalid_key")): // it is of no use
		case err != nil:
			return err
		case !who.EmailVerified:
			return &Failure{
				Message: "the account @" + who.Handle + " has no confirmed e-mail address: without its key nobody gets back to it, so the keys stay",
				Notes:   []string{"Confirm an address at " + s.server() + "/account, or remove the keys all the same:"},
				Fix:     []string{s.env.again("--force")}, Exit: exitUsage,
			}
		}
	}
	return nil
}

// forget removes the logins for the server from the file or, if there are none, its keys. The caller holds the lock.
func (c *logoutCommand) forget(s *session, ring keyring, logins int) error {
	of := func(k keptKey) bool { return k.Server == s.server() && (k.login() || logins == 0) }
	keys, removed := len(s.keys)-logins, 0
	if len(s.keys) > 0 {
		if err := ring.rewrite(of); err != nil {
			return ring.unkept(err)
		}
	}
	switch {
	case logins > 0 && keys > 0:
		s.env.say("%s for %s: kept in %s as before; give the command again to remove", plural(keys, "key", "keys"), s.server(), ring.path)
	case logins == 0 && keys > 0:
		removed = keys
		s.env.say("the keys themselves still work: they are ended at %s/account/keys", s.server())
	}
	if _, set := s.env.Lookup(keyVariable); set {
		s.env.say("warning: %s is set, and still used", keyVariable)
	}
	out := client.Text{JSON: encoded(struct {
		Server  string `json:"server"`
		Logins  int    `json:"logins_ended"`
		Removed int    `json:"keys_removed"`
	}{s.server(), logins, removed})}
	return s.env.print(c.JSON, out, "logged out", s.server(), "logins", strconv.Itoa(logins), "keys", strconv.Itoa(removed))
}
