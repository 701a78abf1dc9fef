package storetest

import (
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

func historyCases() []storeCase {
	return []storeCase{
		{"CreateProject/records later versions with their dates, and what its owner says", createHistory},
		{"CreateProject/a later version that cannot be has had no effect", createHistoryRefused},
		{"CreateProject/the entry of the log is there with the project, and not without it", createLogged},
		{"CreateProject/later versions count to what an owner may have", createHistoryWithin},
	}
}

// later is a version some hours after base.
func later(hours int, c publish.Change) publish.LaterVersion {
	return publish.LaterVersion{
		Change: c, Title: fmt.Sprint("Title ", hours), Suffix: fmt.Sprint("later-", hours),
		At: base().AddDate(-1, 0, 0).Add(time.Duration(hours) * time.Hour),
	}
}

// withHistory is a project of five versions, and the files of each.
func withHistory(id string, owner sandlot.AccountID) (np publish.NewProject, versions []map[string]string) {
	np = newProject(id, owner)
	np.CreatedAt = base().AddDate(-1, 0, 0)
	np.Files = append(np.Files, file("a.js", spooled("a")), file("b.js", inline("b")))
	a2 := file("a.js", inline("a2"))
	index := np.Files[0]
	np.Later = []publish.LaterVersion{
		later(1, publish.Change{Drop: np.Files[1:2], Put: []sandlot.File{a2}}),
		later(2, publish.Change{Drop: np.Files[2:3], Put: []sandlot.File{file("start.html", inline("start"))}, Primary: "start.html"}),
		later(3, publish.Change{Drop: []sandlot.File{a2, index}, Put: []sandlot.File{file("a.js", inline("a")), file("empty", inline(""))}}),
		later(4, publish.Change{}),
	}
	np.Later[3].RestoredFrom = 4
	np.Begun, np.Description, np.Tags, np.Unlisted, np.Threads, np.Key = base().AddDate(-2, 0, 0), "Once.", "cats 3d", true, true, sandlot.Key{}
	page := "<p>" + id
	return np, []map[string]string{
		{"index.html": page, "a.js": "a", "b.js": "b"},
		{"index.html": page, "a.js": "a2", "b.js": "b"},
		{"index.html": page, "a.js": "a2", "start.html": "start"},
		{"start.html": "start", "a.js": "a", "empty": ""},
		{"start.html": "start", "a.js": "a", "empty": ""},
	}
}

// hasHistory fails the test unless p is what np says, in all its versions.
func (s Stores) hasHistory(t *testing.T, p sandlot.Project, np publish.NewProject, versions []map[string]string) {
	t.Helper()
	n, size := len(np.Later)+1, int64(0)
	for _, text := range versions[n-1] {
		size += int64(len(text))
	}
	last := np.Later[n-2]
	same(t, "the project", p, sandlot.Project{
		ID: np.ID, Account: np.Account, Handle: p.Handle, Verified: p.Verified, Title: last.Title, Lang: "fr", Primary: p.Primary, Version: n, Suffix: last.Suffix,
		Size: size, FileCount: len(versions[n-1]), Seq: p.Seq, Change: p.Change, CreatedAt: np.Begun, UpdatedAt: last.At,
		Unlisted: np.Unlisted, Threads: np.Threads, Tags: np.Tags,
	})
	details := must(s.Management.Details(t.Context(), p.ID))(t)
	same(t, "details", details, publish.Details{Title: last.Title, Description: np.Description, Unlisted: np.Unlisted, Threads: np.Threads, Tags: np.Tags})
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	primary := np.Primary
	for i, want := range versions {
		same(t, fmt.Sprint("files of version ", i+1), texts(t, s.Publish, p.ID, i+1), want)
		v := sandlot.Version{N: i + 1, Suffix: np.Suffix, Title: np.Title, Primary: primary, CreatedAt: np.CreatedAt}
		if i > 0 {
			l := np.Later[i-1]
			if l.Change.Primary != "" {
				primary = l.Change.Primary
			}
			v = sandlot.Version{N: i + 1, Suffix: l.Suffix, Title: l.Title, Primary: primary, CreatedAt: l.At, RestoredFrom: l.RestoredFrom}
		}
		same(t, fmt.Sprint("version ", i+1), must(s.Publish.Version(t.Context(), p.ID, i+1))(t), v)
	}
	s.clean(t, "then")
}

func createHistory(t *testing.T, s Stores) {
	np, versions := withHistory("pong", s.mustAccount(t, newAccount("kim")).ID)
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	s.hasHistory(t, p, np, versions)
	list := must(s.Management.Versions(t.Context(), p.ID, 0, 9))(t)
	same(t, "what version 3 changed", [][]string{list[2].Added, list[2].Changed, list[2].Removed}, [][]string{{"start.html"}, nil, {"b.js"}})
	same(t, "what version 4 changed", [][]string{list[1].Added, list[1].Changed, list[1].Removed}, [][]string{{"empty"}, {"a.js"}, {"index.html"}})
	p = s.mustPut(t, p, file("a.js", inline("a6")))
	same(t, "the next version", p.Version, 6)
	ok(t, s.Management.EraseVersion(t.Context(), p.ID, 2, base()))
	same(t, "files of version 3", texts(t, s.Publish, p.ID, 3), versions[2])
	s.clean(t, "in the end")
}

func createLogged(t *testing.T, s Stores) {
	np, e := newProject("pong", s.mustAccount(t, newAccount("kim")).ID), entry(sandlot.ActionImport, "pong")
	np.Log = &e
	must(s.Publish.CreateProject(t.Context(), np))(t)
	s.logged(t, e)
	again := e
	again.Reason = "again"
	np.Log, np.Key = &again, sandlot.Key{}
	wants(t, "the same id", drop(s.Publish.CreateProject(t.Context(), np)), sandlot.ErrExists)
	s.logged(t, e)
}

func createHistoryRefused(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	for what, r := range map[string]struct {
		c    publish.Change
		want error
	}{
		"a file to drop that was never there":    {publish.Change{Drop: files("none", inline(""))}, sandlot.ErrNotFound},
		"a file to drop that is gone":            {publish.Change{Drop: files("b.js", inline(""))}, sandlot.ErrNotFound},
		"a name that is taken":                   {publish.Change{Put: files("a.js", inline(""))}, sandlot.ErrExists},
		"no primary file":                        {publish.Change{Drop: files("start.html", inline(""))}, sandlot.ErrNoPrimary},
		"another primary file that is not there": {publish.Change{Primary: "index.html"}, sandlot.ErrNoPrimary},
		"a recorded blob that is not there":      {publish.Change{Put: files("c.js", sandlot.Blob{ID: 1 << 40})}, sandlot.ErrNotFound},
	} {
		np, _ := withHistory("pong", a.ID)
		np.Files = append(np.Files, manyFiles("named", several, named)...)
		np.Later = append(np.Later, later(5, r.c))
		err := drop(s.Publish.CreateProject(t.Context(), np))
		wants(t, what, err, r.want)
		wants(t, what+" says that it had no effect", err, sandlot.ErrNoEffect)
		wants(t, what+": the project", drop(s.Publish.Project(t.Context(), np.ID)), sandlot.ErrNotFound)
		s.clean(t, what)
	}
}

func createHistoryWithin(t *testing.T, s Stores) {
	np, _ := withHistory("pong", s.mustAccount(t, newAccount("kim")).ID)
	np.Within.Bytes = sizeOf(np.Files) - 1
	for _, l := range np.Later {
		np.Within.Bytes += sizeOf(l.Change.Put)
	}
	wants(t, "a byte too many", drop(s.Publish.CreateProject(t.Context(), np)), sandlot.ErrTooManyBytes)
	np.Within.Bytes++
	must(s.Publish.CreateProject(t.Context(), np))(t)
}
