package model_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sandlot"
)

// state is what there must be.
type state struct {
	accounts []*account
	projects []*project // in the order in which they were made
	gone     []*project // with their accounts, or for good
	trash    []*project // which their owners may take back
	uploads  map[string]*upload
	seq      int // of the last change of a project
	puts     int // files put so far
	now      time.Time

	elapsed time.Duration // by the clock that nobody sets
	here    int           // the number of the node that calls go to
	changes int           // of what is served of projects
}

type account struct {
	id     sandlot.AccountID
	handle string
	email  string
	key    sandlot.Secret
}

type project struct {
	id       sandlot.ProjectID
	owner    *account
	key      sandlot.Secret
	title    string
	lang     string
	made     time.Time
	deleted  time.Time // of one in the trash
	seq      int
	versions []version
	changes  []change
	seen     map[int]int // the latest change that a node has shown, by the node's number
	playing  playing
}

// version is an immutable list of files, unless it was erased.
type version struct {
	suffix string
	at     time.Time
	files  map[string]file
	erased bool

	title string // the project's, as the version left it
	from  int    // the version that was restored, 0 for none
}

// change is what a change made of that which every node serves of a project.
type change struct {
	version   int // 0: it is gone
	title     string
	suspended bool
	seq       int
	at        time.Duration
	by        int // the number of the node, 0 for none of them
}

// file is what was put under a name. Each put has its own number: the same bytes
// may be put twice.
type file struct {
	text string
	put  int
}

// upload is one that has accepted its part 1.
type upload struct {
	key     string
	owner   string
	first   partCall // the last accepted part 1, which carries the words
	total   int
	parts   map[int]string
	expires time.Time
	token   sandlot.Secret // its upload_token, once an answer had it

	project *project // set once it completed, with what it brought
	version int
	last    partCall // the call that completed it
}

// actor is who makes a call: nobody, an account, or one of its projects.
type actor struct {
	account *account
	project *project // for a scoped key
}

func (a actor) nobody() bool { return a.account == nil }
func (a actor) scoped() bool { return a.project != nil }

func (a actor) key() sandlot.Secret {
	switch {
	case a.scoped():
		return a.project.key
	case a.nobody():
		return ""
	}
	return a.account.key
}

// may reports whether the actor's key covers a project.
func (a actor) may(p *project) bool { return a.account == p.owner && (!a.scoped() || a.project == p) }

func (p *project) current() version { return p.versions[len(p.versions)-1] }

// size is of all files of a version.
func (v version) size() (n int64) {
	for _, f := range v.files {
		n += int64(len(f.text))
	}
	return n
}

// next is the version after it that has the same files, which may be changed.
func (v version) next(suffix string, at time.Time) version {
	return version{suffix: suffix, at: at, files: maps.Clone(v.files)}
}

// of returns an account's projects, the one that was changed last first.
func (s *state) of(a *account) []*project {
	var out []*project
	for _, p := range s.projects {
		if p.owner == a {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *project) int { return b.seq - a.seq })
	return out
}

// covered returns what an actor's key covers.
func (s *state) covered(a actor) []*project {
	if a.scoped() {
		return []*project{a.project}
	}
	return s.of(a.account)
}

// file is a fresh put of these bytes.
func (s *state) file(text string) file {
	s.puts++
	return file{text, s.puts}
}

// files are fresh puts of all these, in the order of their names.
func (s *state) files(texts map[string]string) map[string]file {
	files := map[string]file{}
	for name, text := range texts {
		files[name] = s.file(text)
	}
	return files
}

// add records the next version of a project, made at that time, under the title that the project has now.
func (s *state) add(p *project, v version) {
	s.seq++
	p.seq = s.seq
	v.title = p.title
	p.versions = append(p.versions, v)
	s.change(p, change{version: len(p.versions), by: s.here})
}

// change records what is served of a project from now on.
func (s *state) change(p *project, c change) {
	s.changes++
	c.title, c.seq, c.at = p.title, s.changes, s.elapsed
	p.changes = append(p.changes, c)
}

// drop forgets an account with all that it has.
func (s *state) drop(a *account) {
	for _, p := range s.of(a) {
		s.change(p, change{by: s.here})
		s.gone = append(s.gone, p)
	}
	s.empty(func(p *project) bool { return p.owner == a })
	s.projects = slices.DeleteFunc(s.projects, func(p *project) bool { return p.owner == a })
	s.accounts = slices.DeleteFunc(s.accounts, func(other *account) bool { return other == a })
	maps.DeleteFunc(s.uploads, func(_ string, u *upload) bool { return u.first.by.account == a })
}

// empty forgets projects of the trash.
func (s *state) empty(which func(*project) bool) {
	s.trash = slices.DeleteFunc(s.trash, func(p *project) bool {
		if which(p) {
			s.gone = append(s.gone, p)
		}
		return which(p)
	})
}

// full reports whether an actor's account has as many projects as it may.
func (s *state) full(a actor) bool { return !a.nobody() && len(s.of(a.account)) >= maxProjects }

// has reports whether an account is there.
func (s *state) has(a *account) bool { return slices.Contains(s.accounts, a) }

// Limits of the machine, small so that they are met.
const (
	maxFiles    = 4
	maxUploads  = 2
	maxProjects = 3
	maxFile     = 600
	inlineMax   = 100
)

// primary is the primary file of a project that was published as one file.
const primary = "index.html"

// conflicts reports whether a name cannot stand beside the others: one is a
// folder of the other, or they differ only in case.
func conflicts(files map[string]file, name string) bool {
	folded := strings.ToLower(name)
	for other := range files {
		o := strings.ToLower(other)
		if other != name && (o == folded || strings.HasPrefix(o, folded+"/") || strings.HasPrefix(folded, o+"/")) {
			return true
		}
	}
	return false
}

// refusedPut returns the reason for which a file cannot be put into a project, if so.
func refusedPut(p *project, name, text string, ifVersion *int) (why []sandlot.Code) {
	files := p.current().files
	if ifVersion != nil && *ifVersion != len(p.versions) {
		why = append(why, sandlot.CodeVersionConflict)
	}
	if conflicts(files, name) {
		why = append(why, sandlot.CodeFilenameConflict)
	}
	if _, there := files[name]; !there && len(files) >= maxFiles {
		why = append(why, sandlot.CodeQuotaExceeded)
	}
	return append(why, refusedContent(name, text)...)
}

// refusedContent returns the reason for which a file cannot have these bytes, if so.
func refusedContent(name, text string) (why []sandlot.Code) {
	if text == "" && name == primary {
		why = append(why, sandlot.CodeInvalidField)
	}
	if strings.HasSuffix(name, ".html") && encodedTwice(text) {
		why = append(why, sandlot.CodeDoubleEncoded)
	}
	return why
}

func encodedTwice(text string) bool {
	return strings.HasPrefix(text, "\x1f\x8b") || text == base64Page
}

// uploadKey says which upload a call belongs to.
func uploadKey(by actor, op sandlot.Op, id string) string {
	switch {
	case !by.nobody():
		return fmt.Sprint(op, " account ", by.account.id, " ", id)
	}
	return fmt.Sprint(op, " network ", id)
}

func uploadOwner(by actor) string {
	if by.nobody() {
		return "the address"
	}
	return fmt.Sprint("account ", by.account.id)
}

// upload returns the upload of that key, if it has not expired.
func (s *state) upload(key string) *upload {
	u := s.uploads[key]
	if u == nil || !s.now.Before(u.expires) {
		return nil
	}
	return u
}

// forgetExpired is for when the clock is set back: what was collected does not
// come back with it.
func (s *state) forgetExpired() {
	for key := range s.uploads {
		if s.upload(key) == nil {
			delete(s.uploads, key)
		}
	}
}

// unfinished counts an owner's open uploads.
func (s *state) unfinished(owner string) (n int) {
	for key := range s.uploads {
		if u := s.upload(key); u != nil && u.owner == owner && u.project == nil {
			n++
		}
	}
	return n
}

func (u *upload) complete() bool { return u.total != 0 && len(u.parts) == u.total }

// joined is the file that the parts make.
func (u *upload) joined() string {
	var out strings.Builder
	for _, n := range slices.Sorted(maps.Keys(u.parts)) {
		out.WriteString(u.parts[n])
	}
	return out.String()
}
