package storetest

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
)

func editCases() []storeCase {
	return []storeCase{
		{"Rearrange/does all that an Edit says in the same step", rearrangeAll},
		{"Rearrange/refuses what an Edit may not do", rearrangeNone},
	}
}

// puts are changes of few files, and of many.
func puts() map[string][]sandlot.File {
	return map[string][]sandlot.File{"few": manyFiles("few", 3, spooled), "many": manyFiles("many", several, spooled)}
}

func rearrangeAll(t *testing.T, s Stores) {
	for what, put := range puts() {
		a := s.maker(t, what)
		p := must(s.Publish.CreateProject(t.Context(), newProject(what, a.ID)))(t)
		k := must(s.Credentials.KeyByHash(t.Context(), sum("key of "+what)))(t)
		u := s.mustSave(t, upload(what), part(1, inline("one")))
		title := "Another title of " + what
		at := edit(p)
		at.By, at.Title, at.Wrapper, at.Upload = k.ID, &title, "site/", completion(u, p.ID)
		at.Idempotency = &publish.IdempotencyRecord{Key: sum("call " + what), Project: p.ID, Version: 2, ExpiresAt: base().Add(aDay)}
		at.Within = publish.Quota{Bytes: p.Size + sizeOf(put)}
		got := must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: put}, at))(t)
		same(t, what+": the project", []any{got.Version, got.Title, got.Wrapper, got.Suffix, got.UpdatedAt, got.FileCount}, []any{2, title, "site/", at.Suffix, at.At, len(put) + 1})
		same(t, what+": read again", must(s.Publish.Project(t.Context(), p.ID))(t), got)
		same(t, what+": the version", must(s.Publish.Version(t.Context(), p.ID, 2))(t), sandlot.Version{N: 2, Suffix: at.Suffix, Title: title, Primary: p.Primary, CreatedAt: at.At})
		same(t, what+": the upload", must(s.Publish.Upload(t.Context(), u.Key, 0, base()))(t).Done, &at.Upload.Done)
		same(t, what+": the record", must(s.Publish.IdempotencyRecord(t.Context(), sum("call "+what), base()))(t).Account, a.ID)
		wants(t, what+": again", drop(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: put}, at)), sandlot.ErrAlreadyDone)
		s.clean(t, what)
	}
	for what, put := range puts() {
		a := s.mustAccount(t, newAccount("new-"+what))
		p := must(s.Publish.CreateProject(t.Context(), newProject("new-"+what, a.ID)))(t)
		at := edit(p)
		at.Email = &publish.NewEmail{Address: what + "@example.com", Job: job(what+"@example.com", base())}
		must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: put}, at))(t)
		same(t, what+": the address", must(s.Publish.Account(t.Context(), a.ID))(t).Email, what+"@example.com")
	}
	same(t, "messages", len(s.claimed(t, account.Busy{})), 4) // with those by which the makers were proved
}

func rearrangeNone(t *testing.T, s Stores) {
	a := s.maker(t, "kim")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	k := s.mint(t, p, "revoked")
	s.Revoke(t, k.Hash)
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	title := "Another"
	for what, put := range puts() {
		for why, r := range map[string]struct {
			change func(*publish.Edit)
			want   error
		}{
			"a key that was revoked": {func(at *publish.Edit) { at.By = k.ID }, sandlot.ErrRevoked},
			"an address beside a proved": {func(at *publish.Edit) {
				at.Email = &publish.NewEmail{Address: "b@example.com", Job: job("b@example.com", base())}
			}, sandlot.ErrVerified},
			"an upload that moved on": {func(at *publish.Edit) { at.Upload = completion(u, p.ID); at.Upload.Generation++ }, sandlot.ErrUploadMoved},
			"another version":         {func(at *publish.Edit) { at.Expect++ }, sandlot.ErrMoved},
			"too many bytes":          {func(at *publish.Edit) { at.Within.Bytes = p.Size + sizeOf(put) - 1 }, sandlot.ErrTooManyBytes},
		} {
			at := edit(p)
			at.Title = &title
			at.Idempotency = &publish.IdempotencyRecord{Key: sum("call"), Project: p.ID, Version: 2, ExpiresAt: base().Add(aDay)}
			r.change(&at)
			err := drop(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: put}, at))
			wants(t, what+", "+why, err, r.want)
			wants(t, what+", "+why+", says that it had no effect", err, sandlot.ErrNoEffect)
			same(t, what+", "+why+": the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)
			wants(t, what+", "+why+": the record", drop(s.Publish.IdempotencyRecord(t.Context(), sum("call"), base())), sandlot.ErrNotFound)
			s.clean(t, what+", "+why)
		}
	}
	ok(t, s.Operate.Suspend(t.Context(), ofProject(p.ID), entry(sandlot.ActionSuspend, "pong")))
	for what, put := range puts() {
		wants(t, what+" of a suspended project", drop(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: put}, edit(p))), sandlot.ErrSuspended)
	}
}
