package storetest

import (
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

func uploadCases() []storeCase {
	return []storeCase{
		{"UploadParts/returns all parts of an open upload, by number", readUpload},
		{"SaveUpload/the generation must still be u.Generation, else ErrUploadMoved", saveMoved},
		{"SaveUpload/an expired upload does not exist", saveOverExpired},
		{"UploadOfToken/returns the key of the upload with this token", uploadOfToken},
		{"SaveUpload/a part that takes the account over its bytes is ErrTooManyBytes", tooManyAccountBytes},
	}
}

// upload is a new one that expires in an hour.
func upload(name string) publish.Upload {
	return publish.Upload{Key: sum("upload " + name), Owner: sum("owner"), Meta: []byte("meta of " + name), ExpiresAt: base().Add(time.Hour)}
}

func part(n int, b sandlot.Blob) *publish.Part { return &publish.Part{N: n, Blob: b} }

// mustSave saves an upload with a part, and returns it as it is then.
func (s Stores) mustSave(t *testing.T, u publish.Upload, p *publish.Part) publish.Upload {
	t.Helper()
	if p != nil {
		u.Received, u.Bytes, u.Held = u.Received.With(p.N), u.Bytes+p.Blob.Size, u.Held+p.Blob.Size
	}
	must(s.Publish.SaveUpload(t.Context(), u, p, publish.UploadQuota{}))(t)
	return s.uploadOf(t, u.Key, base())
}

// uploadOf reads an upload with all its parts.
func (s Stores) uploadOf(t *testing.T, key sandlot.Digest, now time.Time) publish.Upload {
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

func readUpload(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	u = s.mustSave(t, u, part(10, named("ten")))
	u = s.mustSave(t, u, part(2, inline("two")))
	for i, want := range []publish.Part{{N: 1, Blob: inline("one")}, {N: 2, Blob: inline("two")}, {N: 10, Blob: named("ten")}} {
		got := u.Parts[i]
		if want.Blob.ID = got.Blob.ID; got.Blob.ID == 0 {
			t.Fatalf("part %d has a blob without an ID", got.N)
		}
		want.Blob.Inline = nil
		same(t, fmt.Sprint("part ", i), got, want)
	}
	same(t, "the bytes of a part", text(t, s.Publish, u.Parts[1].Blob), "two")
	_, err := s.Publish.Upload(t.Context(), sum("another"), 0, base())
	wants(t, "another upload", err, sandlot.ErrNotFound)
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
	same(t, "the upload", s.uploadOf(t, u.Key, base()), u)
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

func uploadOfToken(t *testing.T, s Stores) {
	u := upload("one")
	u.Token = sum("token")
	u = s.mustSave(t, u, part(1, inline("x")))
	same(t, "the token read", u.Token, sum("token"))
	s.mustSave(t, upload("two"), nil) // without a token, as many are
	s.mustSave(t, upload("three"), nil)
	same(t, "the upload of the token", must(s.Credentials.UploadOfToken(t.Context(), sum("token"), base()))(t), u.Key)
	s.mustComplete(t, u)
	same(t, "once it is complete", must(s.Credentials.UploadOfToken(t.Context(), sum("token"), base()))(t), u.Key)
	for _, token := range []sandlot.Digest{{}, sum("another token")} {
		_, err := s.Credentials.UploadOfToken(t.Context(), token, base())
		wants(t, "another token", err, sandlot.ErrNotFound)
	}
}

// withPart is an upload to which a part of some bytes comes.
func withPart(u publish.Upload, bytes int64) publish.Upload {
	u.Bytes, u.Held = u.Bytes+bytes, u.Held+bytes
	return u
}

func tooManyAccountBytes(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	np := newProject("pong", a.ID)
	np.Files = files("index.html", inline("12345"))
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	u := upload("u")
	u.Account = a.ID
	_, err := s.Publish.SaveUpload(t.Context(), withPart(u, 6), part(1, inline("123456")), publish.UploadQuota{Account: 10})
	wants(t, "11 bytes of 10", err, sandlot.ErrTooManyBytes)
	u = withPart(u, 5)
	u.Generation = must(s.Publish.SaveUpload(t.Context(), u, part(1, inline("12345")), publish.UploadQuota{Account: 10}))(t)
	at := edit(p)
	at.Within = publish.Quota{Bytes: 10}
	_, err = s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("1")), at)
	wants(t, "a file beside the open upload", err, sandlot.ErrTooManyBytes)
	at.Upload = completion(u, p.ID)
	must(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("12345")), at))(t) // which uses it up
}

func completionCases() []storeCase {
	return []storeCase{
		{"CreateProject/closes the upload it came from", createCloses},
		{"Completion/ErrUploadMoved unless the upload is open and still at Generation", completionMoved},
		{"Completion/a part may be the file", completionSinglePart},
	}
}

func completion(u publish.Upload, id sandlot.ProjectID) *publish.Completion {
	return &publish.Completion{
		Key: u.Key, Generation: u.Generation, ExpiresAt: base().Add(2 * time.Hour),
		Done: publish.UploadDone{Project: id, Version: 1, Part: 3, SHA256: sum("part 3"), Answer: []byte("sealed"), Made: []byte("made")},
	}
}

// mustComplete makes a project of an upload.
func (s Stores) mustComplete(t *testing.T, u publish.Upload) sandlot.Project {
	t.Helper()
	a := s.mustAccount(t, newAccount("completer"))
	np := newProject("completed", a.ID)
	np.Upload = completion(u, np.ID)
	return must(s.Publish.CreateProject(t.Context(), np))(t)
}

func createCloses(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(3, inline("part 3")))
	p := s.mustComplete(t, u)
	got := s.uploadOf(t, u.Key, base())
	want := completion(u, p.ID)
	same(t, "what is left", got.Done, &want.Done)
	same(t, "when it ends", got.ExpiresAt, got.ExpiresAt.Truncate(time.Microsecond))
	same(t, "its parts", len(got.Parts), 0)
	same(t, "what part 1 said", string(got.Meta), string(u.Meta))
	for _, generation := range []int64{0, u.Generation, got.Generation} {
		u.Generation = generation
		_, err := s.Publish.SaveUpload(t.Context(), u, part(4, inline("late")), publish.UploadQuota{})
		wants(t, fmt.Sprint("a part at generation ", generation), err, sandlot.ErrUploadMoved)
	}
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
	same(t, "the upload", s.uploadOf(t, u.Key, base()), newer)
	put("an upload that is not there", upload("never begun"))
	done := s.mustComplete(t, newer)
	put("an upload that is completed", s.uploadOf(t, u.Key, base()))
	same(t, "its project", s.uploadOf(t, u.Key, base()).Done.Project, done.ID)
}

func completionSinglePart(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, named("part-1")))
	np := newProject("pong", s.mustAccount(t, newAccount("kim")).ID)
	np.Upload, np.Files = completion(u, np.ID), files("index.html", u.Parts[0].Blob)
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	same(t, "swept", s.sweepAll(t), nil)
	want := file("index.html", u.Parts[0].Blob)
	want.Since = 1
	same(t, "the file", s.fileNamed(t, p, "index.html"), want)
	same(t, "to be squeezed", len(must(s.Variants.Unsqueezed(t.Context(), nil, 9))(t)), 1)
}
