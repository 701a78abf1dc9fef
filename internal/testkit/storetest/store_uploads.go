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
		{"Upload/returns an upload, and the part of that number if it has it", readUploadPart},
		{"UploadParts/returns all parts of an open upload, by number", readUpload},
		{"UploadParts/the generation must still be that one, else ErrUploadMoved", readPartsMoved},
		{"Upload/one that is past its ExpiresAt is ErrNotFound", readExpired},
		{"SaveUpload/records all of u but its Parts and Done", saveUpload},
		{"SaveUpload/adds or replaces part if it is not nil", savePart},
		{"SaveUpload/the generation must still be u.Generation, else ErrUploadMoved", saveMoved},
		{"SaveUpload/generation 0 means that the upload does not exist yet", saveFresh},
		{"SaveUpload/an expired upload does not exist", saveOverExpired},
		{"SaveUpload/it returns the next generation", saveGeneration},
		{"UploadOfToken/returns the key of the upload with this token", uploadOfToken},
		{"UploadOfToken/one that is past its ExpiresAt is ErrNotFound", uploadOfTokenExpired},
		{"SaveUpload/one upload more than within.Uploads is ErrTooManyUploads", tooManyUploads},
		{"SaveUpload/a part that takes the owner over its bytes is ErrTooManyBytes", tooManyUploadBytes},
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

func readUploadPart(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	u = s.mustSave(t, u, part(3, named("three")))
	for n, want := range map[int][]publish.Part{0: nil, 1: u.Parts[:1], 2: nil, 3: u.Parts[1:]} {
		same(t, fmt.Sprint("part ", n), must(s.Publish.Upload(t.Context(), u.Key, n, base()))(t).Parts, want)
	}
}

func readPartsMoved(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	for _, generation := range []int64{0, u.Generation - 1, u.Generation + 1} {
		_, err := s.Publish.UploadParts(t.Context(), u.Key, generation)
		wants(t, fmt.Sprint("generation ", generation), err, sandlot.ErrUploadMoved)
	}
	s.mustComplete(t, u)
	done := must(s.Publish.Upload(t.Context(), u.Key, 0, base()))(t)
	_, err := s.Publish.UploadParts(t.Context(), u.Key, done.Generation)
	wants(t, "a completed one", err, sandlot.ErrUploadMoved)
}

func readExpired(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	s.uploadOf(t, u.Key, u.ExpiresAt.Add(-time.Second))
	_, err := s.Publish.Upload(t.Context(), u.Key, 0, u.ExpiresAt.Add(time.Microsecond))
	wants(t, "the upload", err, sandlot.ErrNotFound)
}

func saveUpload(t *testing.T, s Stores) {
	u := upload("u")
	got := s.mustSave(t, u, nil)
	u.Generation = got.Generation
	same(t, "a new upload", got, u)
	u.Owner, u.Account, u.Meta, u.Total, u.ExpiresAt = sum("another owner"), 7, []byte("other meta"), 7, u.ExpiresAt.Add(time.Minute)
	u.Received, u.Bytes, u.Held = u.Received.With(9), 10, 11
	got = s.mustSave(t, u, nil)
	u.Generation = got.Generation
	same(t, "the upload saved again", got, u)
}

func savePart(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	u = s.mustSave(t, u, part(2, inline("two")))
	same(t, "two parts", parts(u), map[int]sandlot.Digest{1: sum("one"), 2: sum("two")})
	u = s.mustSave(t, u, part(1, inline("another one")))
	same(t, "one of them replaced", parts(u), map[int]sandlot.Digest{1: sum("another one"), 2: sum("two")})
	u = s.mustSave(t, u, nil)
	same(t, "no part saved", parts(u), map[int]sandlot.Digest{1: sum("another one"), 2: sum("two")})
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

func saveFresh(t *testing.T, s Stores) {
	u := upload("u")
	u.Generation = 1
	_, err := s.Publish.SaveUpload(t.Context(), u, part(1, inline("one")), publish.UploadQuota{})
	wants(t, "generation 1 of an upload that is not there", err, sandlot.ErrUploadMoved)
	_, err = s.Publish.Upload(t.Context(), u.Key, 0, base())
	wants(t, "the upload", err, sandlot.ErrNotFound)
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

func saveGeneration(t *testing.T, s Stores) {
	u := upload("u")
	for i := range 3 {
		next := must(s.Publish.SaveUpload(t.Context(), u, part(i+1, inline("x")), publish.UploadQuota{}))(t)
		if next <= u.Generation {
			t.Fatalf("generation %d came after %d", next, u.Generation)
		}
		u.Generation = next
		same(t, "the generation read", s.uploadOf(t, u.Key, base()).Generation, next)
	}
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

func uploadOfTokenExpired(t *testing.T, s Stores) {
	u := upload("one")
	u.Token = sum("token")
	u = s.mustSave(t, u, part(1, inline("x")))
	_, err := s.Credentials.UploadOfToken(t.Context(), u.Token, u.ExpiresAt)
	wants(t, "its token", err, sandlot.ErrNotFound)
	s.sweep(t, u.ExpiresAt.Add(time.Second), base())
	_, err = s.Credentials.UploadOfToken(t.Context(), u.Token, base())
	wants(t, "its token, by a clock that was set back", err, sandlot.ErrNotFound)
}

// openUploads saves uploads of which two are open, with a part of five bytes each.
func openUploads(t *testing.T, s Stores) {
	t.Helper()
	five := func(u publish.Upload) {
		must(s.Publish.SaveUpload(t.Context(), withPart(u, 5), part(1, inline("12345")), publish.UploadQuota{}))(t)
	}
	five(upload("one"))
	five(upload("two"))
	other := upload("of another")
	other.Owner = sum("another owner")
	five(other)
	expired := upload("expired")
	expired.ExpiresAt = base().Add(-time.Second)
	five(expired)
	s.mustComplete(t, s.mustSave(t, upload("three"), part(1, inline("12345"))))
}

// withPart is an upload to which a part of some bytes comes.
func withPart(u publish.Upload, bytes int64) publish.Upload {
	u.Bytes, u.Held = u.Bytes+bytes, u.Held+bytes
	return u
}

func tooManyUploads(t *testing.T, s Stores) {
	openUploads(t, s)
	_, err := s.Publish.SaveUpload(t.Context(), upload("four"), part(1, inline("x")), publish.UploadQuota{Uploads: 2})
	wants(t, "a third one", err, sandlot.ErrTooManyUploads)
	_, err = s.Publish.Upload(t.Context(), upload("four").Key, 0, base())
	wants(t, "the one refused", err, sandlot.ErrNotFound)
	two := s.uploadOf(t, upload("two").Key, base())
	must(s.Publish.SaveUpload(t.Context(), two, part(2, inline("x")), publish.UploadQuota{Uploads: 1}))(t)
	must(s.Publish.SaveUpload(t.Context(), upload("four"), part(1, inline("x")), publish.UploadQuota{Uploads: 3}))(t)
}

func tooManyUploadBytes(t *testing.T, s Stores) {
	openUploads(t, s)
	two := s.uploadOf(t, upload("two").Key, base())
	_, err := s.Publish.SaveUpload(t.Context(), withPart(two, 3), part(2, inline("123")), publish.UploadQuota{Bytes: 12})
	wants(t, "13 bytes of 12", err, sandlot.ErrTooManyBytes)
	same(t, "the upload", s.uploadOf(t, two.Key, base()), two)
	two.Generation = must(s.Publish.SaveUpload(t.Context(), withPart(two, 2), part(2, inline("12")), publish.UploadQuota{Bytes: 12}))(t)
	must(s.Publish.SaveUpload(t.Context(), two, nil, publish.UploadQuota{Bytes: 1, Uploads: 1}))(t) // a total may always be told
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
		{"PutFile/closes the upload it came from", putCloses},
		{"Completion/ErrUploadMoved unless the upload is open and still at Generation", completionMoved},
		{"Completion/its parts are then unreferenced", completionParts},
		{"Completion/a part may be the file", completionSinglePart},
		{"Completion/what is left stays until ExpiresAt", completionStays},
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

func putCloses(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	at := edit(p)
	at.Upload = completion(u, p.ID)
	at.Upload.Done = publish.UploadDone{Project: p.ID, Version: 2}
	must(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("joined")), at))(t)
	same(t, "what is left", s.uploadOf(t, u.Key, base()).Done, &at.Upload.Done)
}

func completionMoved(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	newer := s.mustSave(t, u, part(1, inline("newer")))
	at := edit(p)
	at.Upload = completion(u, p.ID)
	_, err := s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("joined")), at)
	wants(t, "an earlier generation", err, sandlot.ErrUploadMoved)
	same(t, "the upload", s.uploadOf(t, u.Key, base()), newer)
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)

	done := s.mustComplete(t, newer)
	at.Upload = completion(s.uploadOf(t, u.Key, base()), p.ID)
	_, err = s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("joined")), at)
	wants(t, "an upload that is completed", err, sandlot.ErrUploadMoved)
	same(t, "its project", s.uploadOf(t, u.Key, base()).Done.Project, done.ID)

	at.Upload = completion(upload("never begun"), p.ID)
	_, err = s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("joined")), at)
	wants(t, "an upload that is not there", err, sandlot.ErrUploadMoved)
}

func completionParts(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, named("part-1")))
	u = s.mustSave(t, u, part(2, named("part-2")))
	same(t, "swept before", s.sweepAll(t), nil)
	s.mustComplete(t, u)
	same(t, "swept after", s.sweepAll(t), []sandlot.BlobRef{"part-1", "part-2"})
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

func completionStays(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	s.mustComplete(t, u)
	end := s.uploadOf(t, u.Key, base()).ExpiresAt
	s.sweep(t, end.Add(-time.Second), base().Add(time.Hour))
	s.uploadOf(t, u.Key, end.Add(-time.Second))
	_, err := s.Publish.Upload(t.Context(), u.Key, 0, end.Add(time.Microsecond))
	wants(t, "after that", err, sandlot.ErrNotFound)
}
