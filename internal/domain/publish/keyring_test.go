package publish_test

import (
	"fmt"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestMintKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	a, _, p := w.owned(address)
	_, _, foreign := w.owned("other@example.org")
	secret, err := w.MintKey(ctx, w.owner(a.ID), publish.NewKey{Project: p.ID, Name: " my\x00 agent ", Form: "one"})
	expect.OK(t, err)
	k := w.caller(secret).Key()
	if k.Kind != sandlot.ProjectKey || k.Project != p.ID || k.Name != "my agent" || !strings.HasSuffix(secret.Reveal(), k.LastFour) {
		t.Errorf("the key is %+v", k)
	}
	_, err = w.MintKey(ctx, w.owner(a.ID), publish.NewKey{Project: p.ID, Name: "my agent", Form: "one"})
	expect.Is(t, "the same form again", err, sandlot.ErrAlreadyDone)
	for _, id := range []sandlot.ProjectID{foreign.ID, "", "nothing"} {
		_, err = w.MintKey(ctx, w.owner(a.ID), publish.NewKey{Project: id, Name: "x", Form: "two"})
		expect.Is(t, fmt.Sprintf("for the project %q", id), err, sandlot.ErrNotFound)
	}
	for what, in := range map[string]publish.NewKey{
		"no name": {Project: p.ID, Form: "two"}, "a long name": {Project: p.ID, Name: strings.Repeat("ü", 101), Form: "two"},
		"a very long name": {Project: p.ID, Name: strings.Repeat("x", 2000), Form: "two"}, "no form token": {Project: p.ID, Name: "x"},
		"a long form token": {Project: p.ID, Name: "x", Form: strings.Repeat("x", 65)},
	} {
		_, err = w.MintKey(ctx, w.owner(a.ID), in)
		expect.Is(t, what, err, sandlot.CodeInvalidField)
	}
}

func TestAProjectHasOnlySoManyKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, _, p := w.owned(address)
	for i := range 99 { // beside the one of the publish
		_, err := w.MintKey(t.Context(), w.owner(a.ID), publish.NewKey{Project: p.ID, Name: strings.Repeat("ü", 100), Form: fmt.Sprint(i)})
		expect.OK(t, err)
	}
	_, err := w.MintKey(t.Context(), w.owner(a.ID), publish.NewKey{Project: p.ID, Name: "more", Form: "more"})
	expect.Is(t, "one more", err, publish.ErrTooMany)
}

func TestARevokedKeyEndsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, _, p := w.owned(address)
	b, _, _ := w.owned("other@example.org")
	secret, err := w.MintKey(t.Context(), w.owner(a.ID), publish.NewKey{Project: p.ID, Name: "agent", Form: "one"})
	expect.OK(t, err)
	id := w.caller(secret).Key().ID
	expect.Is(t, "by another account", w.RevokeKey(t.Context(), w.owner(b.ID), id), sandlot.ErrNotFound)
	w.caller(secret)
	for range 2 {
		expect.OK(t, w.RevokeKey(t.Context(), w.owner(a.ID), id))
	}
	_, err = w.Identify(t.Context(), sandlot.Presented{Key: secret}, sandlot.Sender{Network: "192.0.2.1"})
	expect.Is(t, "the key", err, sandlot.CodeInvalidKey)
}

func TestRotateKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	a := w.caller(out.Keys.Account).Account()
	fresh, err := w.RotateKey(t.Context(), w.owner(a), "one")
	expect.OK(t, err)
	if k := w.caller(fresh).Key(); k.Kind != sandlot.AccountKey || k.Account != a {
		t.Errorf("the new key is %+v", k)
	}
	_, err = w.Identify(t.Context(), sandlot.Presented{Key: out.Keys.Account}, sandlot.Sender{Network: "192.0.2.1"})
	expect.Is(t, "the old key", err, sandlot.CodeInvalidKey)
	w.caller(out.Keys.Project)
	_, err = w.RotateKey(t.Context(), w.owner(a), "one")
	expect.Is(t, "the same form again", err, sandlot.ErrAlreadyDone)
	w.caller(fresh)
	_, err = w.RotateKey(t.Context(), w.owner(a), "")
	expect.Is(t, "no form token", err, sandlot.CodeInvalidField)
}
