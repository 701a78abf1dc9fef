package cli

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"sandlot/internal/client/client"
)

// early is how long before its end an access token is replaced: a call must reach the server with it.
const early = 30 * time.Second

// logins holds the logins of a session. Its methods may be called concurrently.
type logins struct {
	env    *Env
	client *client.Client
	mu     sync.Mutex
	fresh  map[string]keptKey // by the access token that the file of keys had at the beginning
}

func (l *logins) server() string { return l.client.Base.String() }

func (l *logins) learn(keys []keptKey) {
	l.fresh = map[string]keptKey{}
	for _, k := range keys {
		if k.login() {
			l.fresh[k.Key] = k
		}
	}
}

// spoil marks the access token of a login as refused by the server, so that the next call replaces it. It reports whether
// the key is that of a login.
func (l *logins) spoil(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.fresh[key]
	if ok {
		k.Expires = time.Time{}
		l.fresh[key] = k
	}
	return ok
}

// freshKey returns the secret to send for a key: of a login its access token, which is replaced before its end.
func (l *logins) freshKey(ctx context.Context, key string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.fresh[key]
	if !ok {
		return key, nil
	}
	if time.Until(k.Expires) > early {
		return k.Key, nil
	}
	k, err := l.renewed(ctx, k)
	if err == nil {
		l.fresh[key] = k
	}
	return k.Key, err
}

// renewed returns a login with another access token than it has, and keeps it in the file: from the server, or from
// another command that was faster. An interrupt does not end it, for the answer is the only copy of the tokens.
func (l *logins) renewed(ctx context.Context, k keptKey) (keptKey, error) {
	ring, err := l.env.keyring()
	if err != nil {
		return k, err
	}
	unlock, err := ring.lock()
	if err != nil {
		return k, ring.unkept(err)
	}
	defer unlock()
	kept, err := ring.read(l.server())
	if err != nil {
		return k, err
	}
	at := slices.IndexFunc(kept, k.replaces)
	if at < 0 {
		return k, l.loggedOut()
	}
	if now := kept[at]; now.Key != k.Key && time.Until(now.Expires) > early {
		return now, nil
	}
	return l.refresh(context.WithoutCancel(ctx), ring, kept[at])
}

// refresh replaces the tokens of a login at the server and in the file. The caller holds the lock of the file.
func (l *logins) refresh(ctx context.Context, ring keyring, old keptKey) (keptKey, error) {
	t, err := l.client.Refresh(ctx, old.Refresh)
	if errors.Is(err, client.Code("invalid_grant")) {
		return old, l.loggedOut()
	}
	if err != nil {
		return old, err
	}
	next := old
	next.Key, next.Refresh, next.Expires = t.Access, t.Refresh, t.ExpiresAt(time.Now())
	err = ring.rewrite(func(k keptKey) bool { return k.Refresh == old.Refresh }, next)
	return next, ring.unkept(err)
}

// loggedOut returns the failure of a call with a login that has ended.
func (l *logins) loggedOut() error {
	return &Failure{
		Message: "the login at " + l.server() + " has ended", Notes: []string{"Log in again:"},
		Fix: []string{command("sandlot", "login", "--server", l.server())}, Exit: exitKey, cause: &client.Error{Code: "invalid_grant"},
	}
}

// keep stores a key, or a login in the place of an older one for the same, which it ends.
func (l *logins) keep(ctx context.Context, ring keyring, kept keptKey) error {
	if !kept.login() {
		return ring.add(kept)
	}
	unlock, err := ring.lock()
	if err != nil {
		return ring.unkept(err)
	}
	defer unlock()
	var old []keptKey
	err = ring.rewrite(func(k keptKey) bool {
		if !kept.replaces(k) {
			return false
		}
		old = append(old, k)
		return true
	})
	if err = errors.Join(err, appendLines(ring.path, []keptKey{kept})); err != nil {
		return ring.unkept(err)
	}
	for _, k := range old {
		if err := l.client.Revoke(ctx, k.Refresh); err != nil {
			l.env.say("warning: the login before is still listed at %s/account/keys: %s", l.server(), clean(err.Error()))
		}
	}
	return nil
}
