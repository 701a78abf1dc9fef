package storetest

import (
	"fmt"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// manyFiles are n files with names that begin with the prefix.
func manyFiles(prefix string, n int, blob func(string) sandlot.Blob) []sandlot.File {
	list := make([]sandlot.File, n)
	for i := range list {
		name := fmt.Sprintf("%s/%04d.js", prefix, i)
		list[i] = file(name, blob(name))
	}
	return list
}

// without are the files of a version but its index.html.
func without(t *testing.T, s Stores, p sandlot.Project) (list []sandlot.File) {
	t.Helper()
	for _, f := range must(s.Publish.Files(t.Context(), p.ID, p.Version))(t) {
		if f.Name != "index.html" {
			list = append(list, sandlot.File{Name: f.Name, Folded: f.Folded, Blob: f.Blob})
		}
	}
	return list
}

func rearrangeMany(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	p = must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: manyFiles("a", several, inline)}, edit(p)))(t)
	same(t, "version and number of files", []int{p.Version, p.FileCount}, []int{2, several + 1})
	index, old := s.fileNamed(t, p, "index.html"), without(t, s, p)
	c := publish.Change{
		Drop: append([]sandlot.File{index}, old...), Put: []sandlot.File{file("start.html", inline("start"))},
		Primary: "start.html",
	}
	want := map[string]string{"start.html": "start"}
	size := int64(len("start"))
	for i, f := range old {
		name, blob := strings.Replace(f.Name, "a/", "b/", 1), f.Blob // the same bytes elsewhere
		text := f.Name
		switch i % 3 {
		case 1: // other bytes, and the name as before
			name, text = f.Name, "other "+f.Name
			blob = inline(text)
		case 2: // other bytes elsewhere
			text = "new " + f.Name
			blob = inline(text)
		}
		c.Put = append(c.Put, file(name, blob))
		want[name] = text
		size += int64(len(text))
	}
	got := must(s.Management.Rearrange(t.Context(), p.ID, c, edit(p)))(t)
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), got)
	same(t, "the totals", []any{got.Version, got.FileCount, got.Size, got.Primary}, []any{3, several + 1, size, "start.html"})
	same(t, "files", texts(t, s.Publish, p.ID, 3), want)
	same(t, "files before", without(t, s, p), old)
	back := publish.Change{Drop: must(s.Publish.Files(t.Context(), p.ID, 3))(t), Put: append(old, index), Primary: "index.html"}
	p3 := must(s.Management.Rearrange(t.Context(), p.ID, back, edit(got)))(t)
	same(t, "the files of before again", without(t, s, p3), old)
	same(t, "their totals", []any{p3.FileCount, p3.Size}, []any{p.FileCount, p.Size})
	s.clean(t, "then")
}

func rearrangeAll(t *testing.T, s Stores) {
	a := s.maker(t, "kim")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	k := must(s.Credentials.KeyByHash(t.Context(), sum("key of kim")))(t)
	u, put := s.mustSave(t, upload("u"), part(1, inline("one"))), manyFiles("a", 3, spooled)
	title, at := "Another title", edit(p)
	at.By, at.Title, at.Wrapper, at.Upload = k.ID, &title, "site/", completion(u, p.ID)
	at.Idempotency = &publish.IdempotencyRecord{Key: sum("call"), Project: p.ID, Version: 2, ExpiresAt: base().Add(aDay)}
	at.Within = publish.Quota{Bytes: p.Size + sizeOf(put)}
	rearrange := func() (sandlot.Project, error) {
		return s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: put}, at)
	}
	got := must(rearrange())(t)
	same(t, "the project", []any{got.Version, got.Title, got.Wrapper, got.Suffix, got.UpdatedAt, got.FileCount},
		[]any{2, title, "site/", at.Suffix, at.At, 4})
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), got)
	same(t, "the version", must(s.Publish.Version(t.Context(), p.ID, 2))(t),
		sandlot.Version{N: 2, Suffix: at.Suffix, Title: title, Primary: p.Primary, CreatedAt: at.At})
	same(t, "the upload", must(s.Publish.Upload(t.Context(), u.Key, 0, base()))(t).Done, &at.Upload.Done)
	same(t, "the record", must(s.Publish.IdempotencyRecord(t.Context(), sum("call"), base()))(t).Account, a.ID)
	wants(t, "again", drop(rearrange()), sandlot.ErrAlreadyDone)

	p = s.mustProject(t, "tetra")
	at = edit(p)
	at.Email = &publish.NewEmail{Address: "lee@example.com", Job: job("lee@example.com", base())}
	must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: put}, at))(t)
	same(t, "the address", must(s.Publish.Account(t.Context(), p.Account))(t).Email, "lee@example.com")
	s.clean(t, "then")
}

func rearrangeRefused(t *testing.T, s Stores) {
	a := s.maker(t, "kim")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	p = must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: manyFiles("a", several, inline)}, edit(p)))(t)
	before, index := without(t, s, p), s.fileNamed(t, p, "index.html")
	u, k := s.mustSave(t, upload("u"), part(1, inline("one"))), s.mint(t, p, "revoked")
	s.Revoke(t, k.Hash)
	c := publish.Change{Drop: before, Put: manyFiles("new", several, named)}
	var refs []sandlot.BlobRef
	for _, f := range c.Put {
		refs = append(refs, f.Blob.Ref)
	}
	drops := func(f sandlot.File) func(*publish.Change, *publish.Edit) {
		return func(c *publish.Change, _ *publish.Edit) { c.Drop = append(before[:several:several], f) }
	}
	puts := func(f sandlot.File) func(*publish.Change, *publish.Edit) {
		return func(c *publish.Change, _ *publish.Edit) { c.Put = append(c.Put[:several:several], f) }
	}
	for what, r := range map[string]struct {
		change func(*publish.Change, *publish.Edit)
		want   error
	}{
		"a recorded blob that is not there": {puts(file("missing.js", sandlot.Blob{ID: 1 << 40, Size: 1})), sandlot.ErrNotFound},
		"a file to drop that is not there":  {drops(file("never.js", sandlot.Blob{})), sandlot.ErrNotFound},
		"a file to drop of another name":    {drops(sandlot.File{Name: "Index.html", Folded: "index.html"}), sandlot.ErrNotFound},
		"a name that is taken":              {puts(file("index.html", inline("taken"))), sandlot.ErrExists},
		"no primary file":                   {drops(index), sandlot.ErrNoPrimary},
		"a primary file that is not there":  {func(c *publish.Change, _ *publish.Edit) { c.Primary = "none.html" }, sandlot.ErrNoPrimary},
		"a primary file that is dropped": {
			func(c *publish.Change, _ *publish.Edit) { c.Primary = before[0].Name },
			sandlot.ErrNoPrimary,
		},
		"another version": {func(_ *publish.Change, at *publish.Edit) { at.Expect-- }, sandlot.ErrMoved},
		"too many bytes": {func(_ *publish.Change,
			at *publish.Edit,
		) {
			at.Within.Bytes = p.Size + sizeOf(c.Put) - 1
		}, sandlot.ErrTooManyBytes},
		"a key that was revoked": {func(_ *publish.Change, at *publish.Edit) { at.By = k.ID }, sandlot.ErrRevoked},
		"an upload that moved on": {func(_ *publish.Change,
			at *publish.Edit,
		) {
			at.Upload = completion(u, p.ID)
			at.Upload.Generation++
		}, sandlot.ErrUploadMoved},
		"an address where another is verified": {func(_ *publish.Change, at *publish.Edit) {
			at.Email = &publish.NewEmail{Address: "b@example.com", Job: job("b@example.com", base())}
		}, sandlot.ErrVerified},
	} {
		c, at := c, edit(p)
		at.Idempotency = &publish.IdempotencyRecord{Key: sum("call"), Project: p.ID, Version: 3, ExpiresAt: base().Add(aDay)}
		r.change(&c, &at)
		err := drop(s.Management.Rearrange(t.Context(), p.ID, c, at))
		wants(t, what, err, r.want)
		wants(t, what+" says that it had no effect", err, sandlot.ErrNoEffect)
		same(t, what+": the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)
		same(t, what+": its files", without(t, s, p), before)
		same(t, what+": names without a record", must(s.Upkeep.Unknown(t.Context(), refs))(t), refs)
		wants(t, what+": the record", drop(s.Publish.IdempotencyRecord(t.Context(), sum("call"), base())), sandlot.ErrNotFound)
		s.clean(t, what)
	}
	same(t, "in the end", must(s.Management.Rearrange(t.Context(), p.ID, c, edit(p)))(t).FileCount, several+1)
	same(t, "names without a record", must(s.Upkeep.Unknown(t.Context(), refs))(t), nil)
	s.clean(t, "in the end")
}
