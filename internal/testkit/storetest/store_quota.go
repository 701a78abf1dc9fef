package storetest

import (
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
)

func quotaCases() []storeCase {
	return []storeCase{
		{"CreateProject/an owner that would have more than p.Within is ErrTooManyProjects", tooManyProjects},
		{"CreateProject/an owner that would have more than p.Within is ErrTooManyBytes", tooManyBytes},
		{"PutFile/an owner that would have more bytes than at.Within is ErrTooManyBytes", tooManyBytesPut},
		{"Usage/returns what an account has of what a Quota bounds", usage},
		{"Quota/projects at once have no more together", quotaAtOnce},
	}
}

func tooManyProjects(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	create := func(id string) error {
		np := newProject(id, a.ID)
		np.Within = publish.Quota{Projects: 2}
		_, err := s.Publish.CreateProject(t.Context(), np)
		return err
	}
	ok(t, create("one"))
	ok(t, create("two"))
	wants(t, "a third project", create("three"), sandlot.ErrTooManyProjects)
	_, err := s.Publish.Project(t.Context(), "three")
	wants(t, "the one refused", err, sandlot.ErrNotFound)
	s.mustProject(t, "of-another-account")
	s.mustRemove(t, "one")
	ok(t, create("three"))
	wants(t, "one more again", create("four"), sandlot.ErrTooManyProjects)
}

func tooManyBytes(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	np := newProject("one", a.ID)
	np.Files, np.Within = files("index.html", inline("12345")), publish.Quota{Bytes: 10}
	must(s.Publish.CreateProject(t.Context(), np))(t)
	np.ID, np.Key, np.Files = "two", key("two"), files("index.html", inline("123456"))
	_, err := s.Publish.CreateProject(t.Context(), np)
	wants(t, "11 bytes of 10", err, sandlot.ErrTooManyBytes)
	np.Files = files("index.html", inline("12345"))
	must(s.Publish.CreateProject(t.Context(), np))(t)
}

func tooManyBytesPut(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	np := newProject("one", a.ID)
	np.Files = files("index.html", inline("1234"))
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	put := func(name, text string) error {
		at := edit(p)
		at.Within = publish.Quota{Bytes: 10, Projects: 1}
		next, err := s.Publish.PutFile(t.Context(), p.ID, file(name, inline(text)), at)
		if err == nil {
			p = next
		}
		return err
	}
	ok(t, put("a.js", "123"))
	wants(t, "11 bytes of 10", put("b.js", "1234"), sandlot.ErrTooManyBytes)
	same(t, "the files", fileNames(t, s.Publish, "one", 2), []string{"a.js", "index.html"})
	ok(t, put("a.js", "456")) // the earlier version keeps its own
	wants(t, "one byte more", put("a.js", "7"), sandlot.ErrTooManyBytes)
	must(s.Publish.DeleteFile(t.Context(), p.ID, "a.js", edit(p)))(t)
}

func quotaAtOnce(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	var wg sync.WaitGroup
	results := make(chan error, 20)
	for i := range 20 {
		wg.Go(func() {
			np := newProject(string(rune('a'+i)), a.ID)
			np.Within = publish.Quota{Projects: 7}
			_, err := s.Publish.CreateProject(background(), np)
			results <- err
		})
	}
	wg.Wait()
	close(results)
	made := 0
	for err := range results {
		if err == nil {
			made++
		} else {
			wants(t, "one too many", err, sandlot.ErrTooManyProjects)
		}
	}
	same(t, "the projects made", made, 7)
}

func usage(t *testing.T, s Stores) {
	a, now := s.mustAccount(t, newAccount("kim")), newAccount("kim").CreatedAt
	uses := func(what string, want publish.Quota) {
		t.Helper()
		got, err := s.Management.Usage(t.Context(), a.ID, now)
		ok(t, err)
		if got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	uses("nothing", publish.Quota{})
	np := newProject("one", a.ID)
	np.Files = files("index.html", inline("12345"))
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	s.mustPut(t, p, file("index.html", inline("123")))
	uses("two versions", publish.Quota{Projects: 1, Bytes: 8})
	_, err := s.Management.Usage(t.Context(), a.ID+1000, now)
	wants(t, "of nobody", err, sandlot.ErrNotFound)
}
