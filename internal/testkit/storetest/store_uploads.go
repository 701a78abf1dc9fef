package storetest

import (
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// upload is a new one that expires in an hour.
func upload(name string) publish.Upload {
	return publish.Upload{
		Key: sum("upload " + name), Owner: sum("owner"), Meta: []byte("meta of " + name),
		ExpiresAt: base().Add(time.Hour),
	}
}

func part(n int, b sandlot.Blob) *publish.Part { return &publish.Part{N: n, Blob: b} }

// mustSave saves an upload with a part, and returns it as it is then.
func (s Stores) mustSave(t *testing.T, u publish.Upload, p *publish.Part) publish.Upload {
	t.Helper()
	if p != nil {
		u.Received, u.Bytes, u.Held = u.Received.With(p.N), u.Bytes+p.Blob.Size, u.Held+p.Blob.Size
	}
	must(s.Publish.SaveUpload(t.Context(), u, p, publish.UploadQuota{}))(t)
	return uploadOf(t, s, u.Key, base())
}

// uploadOf reads an upload with all its parts.
func uploadOf(t *testing.T, s Stores, key sandlot.Digest, now time.Time) publish.Upload {
	t.Helper()
	u := must(s.Publish.Upload(t.Context(), key, 0, now))(t)
	if same(t, "parts that nobody asked for", len(u.Parts), 0); u.Done == nil {
		u.Parts = must(s.Publish.UploadParts(t.Context(), u.Key, u.Generation))(t)
	}
	return u
}

// parts are what an upload consists of, by number.
func parts(u publish.Upload) map[int]sandlot.Digest {
	all := map[int]sandlot.Digest{}
	for _, p := range u.Parts {
		all[p.N] = p.Blob.SHA256
	}
	return all
}

func saveMoved(t *testing.T, s Stores) {
	first := s.mustSave(t, upload("u"), part(1, inline("one")))
	u := s.mustSave(t, first, part(2, inline("two")))
	for _, generation := range []int64{0, first.Generation, u.Generation + 1} {
		stale := u
		stale.Generation, stale.Meta = generation, []byte("stale")
		_, err := s.Publish.SaveUpload(t.Context(), stale, part(3, inline("three")), publish.UploadQuota{})
		wants(t, fmt.Sprint("generation ", generation), err, sandlot.ErrUploadMoved)
	}
	same(t, "the upload", uploadOf(t, s, u.Key, base()), u)
}

func saveOverExpired(t *testing.T, s Stores) {
	old := upload("u")
	old.ExpiresAt = base().Add(-time.Second)
	generation := must(s.Publish.SaveUpload(t.Context(), old, part(1, inline("old")), publish.UploadQuota{}))(t)
	u := s.mustSave(t, upload("u"), part(2, inline("new")))
	same(t, "the new upload's parts", parts(u), map[int]sandlot.Digest{2: sum("new")})
	old.Generation = generation + 1
	_, err := s.Publish.SaveUpload(t.Context(), old, part(3, inline("three")), publish.UploadQuota{})
	wants(t, "the old one, saved again", err, sandlot.ErrUploadMoved)

	late := upload("late")
	late.ExpiresAt = base().Add(-time.Second)
	late.Generation = must(s.Publish.SaveUpload(t.Context(), late, part(1, inline("one")), publish.UploadQuota{}))(t)
	late.ExpiresAt = base().Add(time.Hour)
	_, err = s.Publish.SaveUpload(t.Context(), late, part(2, inline("two")), publish.UploadQuota{})
	wants(t, "an expired one, saved again", err, sandlot.ErrUploadMoved)
}

func completion(u publish.Upload, id sandlot.ProjectID) *publish.Completion {
	return &publish.Completion{
		Key: u.Key, Generation: u.Generation, ExpiresAt: base().Add(2 * time.Hour),
		Done: publish.UploadDone{Project: id, Version: 1, Part: 3, SHA256: sum("part 3"), Answer: []byte("sealed"), Made: []byte("made")},
	}
}

// mustComplete makes a project of an upload.
func mustComplete(t *testing.T, s Stores, u publish.Upload) sandlot.Project {
	t.Helper()
	a := s.mustAccount(t, newAccount("completer"))
	np := newProject("completed", a.ID)
	np.Upload = completion(u, np.ID)
	return must(s.Publish.CreateProject(t.Context(), np))(t)
}

func completionMoved(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	newer := s.mustSave(t, u, part(1, inline("newer")))
	put := func(what string, of publish.Upload) {
		at := edit(p)
		at.Upload = completion(of, p.ID)
		wants(t, what, drop(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("joined")), at)), sandlot.ErrUploadMoved)
		same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	}
	put("an earlier generation", u)
	same(t, "the upload", uploadOf(t, s, u.Key, base()), newer)
	put("an upload that is not there", upload("never begun"))
	done := mustComplete(t, s, newer)
	put("an upload that is completed", uploadOf(t, s, u.Key, base()))
	same(t, "its project", uploadOf(t, s, u.Key, base()).Done.Project, done.ID)
}
