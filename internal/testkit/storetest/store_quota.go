package storetest

import (
	"fmt"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
)

func quotaCases() []storeCase {
	return []storeCase{
		{"PutFile/an owner that would have more bytes than at.Within is ErrTooManyBytes", tooManyBytesPut},
		{"Usage/returns what an account has of what a Quota bounds", usage},
		{"Quota/projects at once have no more together", quotaAtOnce},
	}
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
	create := func(i int) error {
		np := newProject(fmt.Sprint("pong-", i), a.ID)
		np.Within = publish.Quota{Projects: 7}
		return drop(s.Publish.CreateProject(background(), np))
	}
	same(t, "projects made", atOnce(t, 20, sandlot.ErrTooManyProjects, create), 7)
	s.mustRemove(t, must(s.Publish.Projects(t.Context(), a.ID, 0, 1))(t)[0].ID)
	ok(t, create(20))
	wants(t, "one more again", create(21), sandlot.ErrTooManyProjects)
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
