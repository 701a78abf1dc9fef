package storetest

import (
	"fmt"
	"testing"
	"time"

	"sandlot/internal/publish"
)

func uploadCases() []storeCase {
	return []storeCase{
		{"Upload/returns an upload with all its parts", readUpload},
		{"Upload/one that is past its ExpiresAt is ErrNotFound", readExpired},
		{"SaveUpload/records u's Owner, Meta, Total and ExpiresAt", saveUpload},
		{"SaveUpload/adds or replaces part if it is not nil", savePart},
		{"SaveUpload/the generation must still be u.Generation, else ErrMoved", saveMoved},
		{"SaveUpload/generation 0 means that the upload does not exist yet", saveFresh},
		{"SaveUpload/an expired upload does not exist", saveOverExpired},
		{"SaveUpload/it returns the next generation", saveGeneration},
		{"OpenUploads/counts the owner's uploads that are neither completed nor expired", openUploads},
	}
}

// upload is a new one that expires in an hour.
func upload(name string) publish.Upload {
	return publish.Upload{Key: sum("upload " + name), Owner: sum("owner"), Meta: []byte("meta of " + name), ExpiresAt: base().Add(time.Hour)}
}

func part(n int, b publish.Blob) *publish.Part { return &publish.Part{N: n, Blob: b} }

// mustSave saves an upload with a part, and returns it as it is then.
func (s Stores) mustSave(t *testing.T, u publish.Upload, p *publish.Part) publish.Upload {
	t.Helper()
	must(s.SaveUpload(t.Context(), u, p))(t)
	return must(s.Upload(t.Context(), u.Key, base()))(t)
}

// parts are what an upload consists of, by number.
func parts(u publish.Upload) map[int]publish.Digest {
	all := map[int]publish.Digest{}
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
	same(t, "the bytes of a part", text(t, s, u.Parts[1].Blob), "two")
	_, err := s.Upload(t.Context(), sum("another"), base())
	wants(t, "another upload", err, publish.ErrNotFound)
}

func readExpired(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	must(s.Upload(t.Context(), u.Key, u.ExpiresAt.Add(-time.Second)))(t)
	_, err := s.Upload(t.Context(), u.Key, u.ExpiresAt.Add(time.Microsecond))
	wants(t, "the upload", err, publish.ErrNotFound)
}

func saveUpload(t *testing.T, s Stores) {
	u := upload("u")
	got := s.mustSave(t, u, nil)
	u.Generation = got.Generation
	same(t, "a new upload", got, u)
	u.Owner, u.Meta, u.Total, u.ExpiresAt = sum("another owner"), []byte("other meta"), 7, u.ExpiresAt.Add(time.Minute)
	got = s.mustSave(t, u, nil)
	u.Generation = got.Generation
	same(t, "the upload saved again", got, u)
}

func savePart(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	u = s.mustSave(t, u, part(2, inline("two")))
	same(t, "two parts", parts(u), map[int]publish.Digest{1: sum("one"), 2: sum("two")})
	u = s.mustSave(t, u, part(1, inline("another one")))
	same(t, "one of them replaced", parts(u), map[int]publish.Digest{1: sum("another one"), 2: sum("two")})
	u = s.mustSave(t, u, nil)
	same(t, "no part saved", parts(u), map[int]publish.Digest{1: sum("another one"), 2: sum("two")})
}

func saveMoved(t *testing.T, s Stores) {
	first := s.mustSave(t, upload("u"), part(1, inline("one")))
	u := s.mustSave(t, first, part(2, inline("two")))
	for _, generation := range []int64{0, first.Generation, u.Generation + 1} {
		stale := u
		stale.Generation, stale.Meta = generation, []byte("stale")
		_, err := s.SaveUpload(t.Context(), stale, part(3, inline("three")))
		wants(t, fmt.Sprint("generation ", generation), err, publish.ErrMoved)
	}
	same(t, "the upload", must(s.Upload(t.Context(), u.Key, base()))(t), u)
}

func saveFresh(t *testing.T, s Stores) {
	u := upload("u")
	u.Generation = 1
	_, err := s.SaveUpload(t.Context(), u, part(1, inline("one")))
	wants(t, "generation 1 of an upload that is not there", err, publish.ErrMoved)
	_, err = s.Upload(t.Context(), u.Key, base())
	wants(t, "the upload", err, publish.ErrNotFound)
}

func saveOverExpired(t *testing.T, s Stores) {
	old := upload("u")
	old.ExpiresAt = base().Add(-time.Second)
	generation := must(s.SaveUpload(t.Context(), old, part(1, inline("old"))))(t)
	u := s.mustSave(t, upload("u"), part(2, inline("new")))
	same(t, "the new upload's parts", parts(u), map[int]publish.Digest{2: sum("new")})
	old.Generation = generation + 1
	_, err := s.SaveUpload(t.Context(), old, part(3, inline("three")))
	wants(t, "the old one, saved again", err, publish.ErrMoved)

	late := upload("late")
	late.ExpiresAt = base().Add(-time.Second)
	late.Generation = must(s.SaveUpload(t.Context(), late, part(1, inline("one"))))(t)
	late.ExpiresAt = base().Add(time.Hour)
	_, err = s.SaveUpload(t.Context(), late, part(2, inline("two")))
	wants(t, "an expired one, saved again", err, publish.ErrMoved)
}

func saveGeneration(t *testing.T, s Stores) {
	u := upload("u")
	for i := range 3 {
		next := must(s.SaveUpload(t.Context(), u, part(i+1, inline("x"))))(t)
		if next <= u.Generation {
			t.Fatalf("generation %d came after %d", next, u.Generation)
		}
		u.Generation = next
		same(t, "the generation read", must(s.Upload(t.Context(), u.Key, base()))(t).Generation, next)
	}
}

func openUploads(t *testing.T, s Stores) {
	s.mustSave(t, upload("one"), part(1, inline("x")))
	s.mustSave(t, upload("two"), nil)
	other := upload("of another")
	other.Owner = sum("another owner")
	s.mustSave(t, other, nil)
	expired := upload("expired")
	expired.ExpiresAt = base().Add(-time.Second)
	must(s.SaveUpload(t.Context(), expired, nil))(t)
	s.mustComplete(t, s.mustSave(t, upload("three"), part(1, inline("x"))))
	same(t, "open uploads", must(s.OpenUploads(t.Context(), sum("owner"), base()))(t), 2)
	same(t, "an hour later", must(s.OpenUploads(t.Context(), sum("owner"), base().Add(61*time.Minute)))(t), 0)
}

func completionCases() []storeCase {
	return []storeCase{
		{"CreateProject/closes the upload it came from", createCloses},
		{"PutFile/closes the upload it came from", putCloses},
		{"Completion/ErrMoved unless the upload is open and still at Generation", completionMoved},
		{"Completion/its parts are then unreferenced", completionParts},
		{"Completion/a part may be the file", completionSinglePart},
		{"Completion/what is left stays until ExpiresAt", completionStays},
	}
}

func completion(u publish.Upload, id publish.ProjectID) *publish.Completion {
	return &publish.Completion{
		Key: u.Key, Generation: u.Generation, ExpiresAt: base().Add(2 * time.Hour),
		Done: publish.UploadDone{Project: id, Version: 1, Part: 3, SHA256: sum("part 3"), Answer: []byte("sealed")},
	}
}

// mustComplete makes a project of an upload.
func (s Stores) mustComplete(t *testing.T, u publish.Upload) publish.Project {
	t.Helper()
	a := s.mustAccount(t, newAccount("completer"))
	np := newProject("completed", a.ID)
	np.Upload = completion(u, np.ID)
	return must(s.CreateProject(t.Context(), np))(t)
}

func createCloses(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(3, inline("part 3")))
	p := s.mustComplete(t, u)
	got := must(s.Upload(t.Context(), u.Key, base()))(t)
	want := completion(u, p.ID)
	same(t, "what is left", got.Done, &want.Done)
	same(t, "when it ends", got.ExpiresAt, got.ExpiresAt.Truncate(time.Microsecond))
	same(t, "its parts", len(got.Parts), 0)
	same(t, "what part 1 said", string(got.Meta), string(u.Meta))
	for _, generation := range []int64{0, u.Generation, got.Generation} {
		u.Generation = generation
		_, err := s.SaveUpload(t.Context(), u, part(4, inline("late")))
		wants(t, fmt.Sprint("a part at generation ", generation), err, publish.ErrMoved)
	}
}

func putCloses(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	at := edit(p)
	at.Upload = completion(u, p.ID)
	at.Upload.Done = publish.UploadDone{Project: p.ID, Version: 2}
	must(s.PutFile(t.Context(), p.ID, file("a.js", inline("joined")), at))(t)
	same(t, "what is left", must(s.Upload(t.Context(), u.Key, base()))(t).Done, &at.Upload.Done)
}

func completionMoved(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	newer := s.mustSave(t, u, part(1, inline("newer")))
	at := edit(p)
	at.Upload = completion(u, p.ID)
	_, err := s.PutFile(t.Context(), p.ID, file("a.js", inline("joined")), at)
	wants(t, "an earlier generation", err, publish.ErrMoved)
	same(t, "the upload", must(s.Upload(t.Context(), u.Key, base()))(t), newer)
	same(t, "the project", must(s.Project(t.Context(), p.ID))(t), p)

	done := s.mustComplete(t, newer)
	at.Upload = completion(must(s.Upload(t.Context(), u.Key, base()))(t), p.ID)
	_, err = s.PutFile(t.Context(), p.ID, file("a.js", inline("joined")), at)
	wants(t, "an upload that is completed", err, publish.ErrMoved)
	same(t, "its project", must(s.Upload(t.Context(), u.Key, base()))(t).Done.Project, done.ID)

	at.Upload = completion(upload("never begun"), p.ID)
	_, err = s.PutFile(t.Context(), p.ID, file("a.js", inline("joined")), at)
	wants(t, "an upload that is not there", err, publish.ErrMoved)
}

func completionParts(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, named("part-1")))
	u = s.mustSave(t, u, part(2, named("part-2")))
	same(t, "swept before", s.sweepAll(t), nil)
	s.mustComplete(t, u)
	same(t, "swept after", s.sweepAll(t), []publish.BlobRef{"part-1", "part-2"})
}

func completionSinglePart(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, named("part-1")))
	np := newProject("pong", s.mustAccount(t, newAccount("kim")).ID)
	np.Upload, np.File = completion(u, np.ID), file("index.html", u.Parts[0].Blob)
	p := must(s.CreateProject(t.Context(), np))(t)
	same(t, "swept", s.sweepAll(t), nil)
	same(t, "the file", s.fileNamed(t, p, "index.html"), file("index.html", u.Parts[0].Blob))
	same(t, "to be squeezed", len(must(s.Unsqueezed(t.Context(), 9))(t)), 1)
}

func completionStays(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	s.mustComplete(t, u)
	end := must(s.Upload(t.Context(), u.Key, base()))(t).ExpiresAt
	s.sweep(t, end.Add(-time.Second), base().Add(time.Hour))
	must(s.Upload(t.Context(), u.Key, end.Add(-time.Second)))(t)
	_, err := s.Upload(t.Context(), u.Key, end.Add(time.Microsecond))
	wants(t, "after that", err, publish.ErrNotFound)
}
