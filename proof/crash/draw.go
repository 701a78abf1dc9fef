package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"sandlot/internal/base/failpoint"
)

const (
	projectsKept = 12 // per account, so that projects gather versions
	opsAnAccount = 25 // operations for each new account, for the same reason
	maxParts     = 5
	manyFiles    = 12  // the usual maximum
	hundreds     = 280 // more than one step records at once
	treeNames    = 400 // possible names of the files of a tree
)

// filenames returns the names for updates: primary and other files, of every kind that is treated differently.
func filenames() []string {
	return []string{primary, "game.js", "assets/style.css", "data.bin", "levels/1.json", "about.html"}
}

// A drawer draws a worker's operations, depending on the random source and the shard alone.
type drawer struct {
	worker int
	random *rand.Rand
	run    string          // distinguishes the names from those of other runs
	toward failpoint.Point // draw only operations that pass it; empty: draw all
}

// next draws an operation that the service must accept.
func (d *drawer) next(s *shard) *op {
	o := &op{ID: s.Ops + 1, Account: -1, Wire: d.random.IntN(wires), Once: d.secret()}
	o.Title = fmt.Sprintf("%s w%d op %d", d.run, d.worker, o.ID)
	roomy := len(s.Accounts) <= s.Ops/opsAnAccount
	switch n := d.random.IntN(100); {
	case d.toward != "":
		d.errand(o, s)
	case s.Upload != nil && n < 45:
		d.part(o, s.Upload)
	case s.Upload == nil && n < 12 && len(s.Accounts) > 0:
		d.begin(o, s)
	case len(s.Accounts) == 0 || roomy && n < 40:
		d.newcomer(o, n%2 == 0)
	default:
		d.keyed(o, s)
	}
	return o
}

// newcomer makes an account, by publishing or signing up.
func (d *drawer) newcomer(o *op, publishes bool) {
	o.Email = fmt.Sprintf("%s-w%d-%d@example.com", d.run, d.worker, o.ID)
	o.Kind = signup
	if publishes {
		o.Kind, o.Content = publish, d.content(primary)
		if o.Ticketed = d.random.IntN(4) == 0; o.Ticketed {
			o.Once = ""
		}
	}
}

// keyed changes an account that is there.
func (d *drawer) keyed(o *op, s *shard) {
	o.Account = d.random.IntN(len(s.Accounts))
	a := s.Accounts[o.Account]
	if len(a.Projects) == 0 || len(a.Projects) < projectsKept && d.random.IntN(5) == 0 {
		o.Kind, o.Content = publish, d.content(primary)
		d.perhapsMany(o)
		d.perhapsElse(o)
		return
	}
	o.Project = d.random.IntN(len(a.Projects))
	if a.Projects[o.Project].Deleted {
		o.Kind, o.Title, o.Once = takeBack, "", ""
		return
	}
	o.Scoped, o.Guarded = d.random.IntN(3) == 0 && a.Projects[o.Project].Key != "", d.random.IntN(3) == 0
	o.Title = ""
	p := a.Projects[o.Project]
	if n := d.random.IntN(30); n < 4 {
		o.Kind, o.Version = restore, 1+d.random.IntN(p.Version)
		return
	} else if n == 4 && (s.Upload == nil || s.Upload.Account != o.Account) {
		o.Kind, o.Scoped, o.Guarded, o.Once = trash, false, false, ""
		return
	} else if n > 4 && n < 12 && p.URL != "" {
		d.play(o)
		return
	}
	names := filenames()
	o.Filename = names[d.random.IntN(len(names))]
	if _, there := p.Files[o.Filename]; there && o.Filename != primary && d.random.IntN(3) == 0 {
		o.Kind = remove
		return
	}
	o.Kind, o.Content = update, d.content(o.Filename)
	d.perhapsMany(o)
	d.perhapsElse(o)
}

// perhapsElse sends the bytes with a ticket, or imports projects instead of publishing one.
func (d *drawer) perhapsElse(o *op) {
	switch n := d.random.IntN(6); {
	case n == 0:
		o.Ticketed, o.Once = true, ""
	case n == 1 && o.Kind == publish:
		o.Kind, o.Projects = imports, 1+d.random.IntN(3)
		o.Content = content{Seed: d.random.Uint64() >> 16}
	}
}

// perhapsMany turns an operation on one file into one on many, some of them with the same bytes as before.
func (d *drawer) perhapsMany(o *op) {
	n := d.random.IntN(40)
	if n > 7 {
		return
	}
	o.Filename, o.Many, o.Replace = "", 2+d.random.IntN(manyFiles), o.Kind == update && n%2 == 0
	if n < 2 {
		o.Many = hundreds
	}
	o.Content = content{Seed: d.random.Uint64() >> 16}
}

// begin sends the first part of an upload.
func (d *drawer) begin(o *op, s *shard) {
	u := &upload{
		ID: d.secret(), Kind: publish, Account: -1, Title: o.Title, Filename: primary, Gzip: d.random.IntN(3) == 0,
		Total: 2 + d.random.IntN(maxParts-1),
	}
	u.Email = fmt.Sprintf("%s-w%d-%d@example.com", d.run, d.worker, o.ID)
	if d.random.IntN(3) > 0 {
		u.Account, u.Email = d.random.IntN(len(s.Accounts)), ""
		projects := s.Accounts[u.Account].Projects
		if n := d.random.IntN(max(len(projects), 1)); n < len(projects) && !projects[n].Deleted && d.random.IntN(2) == 0 {
			names := filenames()
			u.Kind, u.Project, u.Title, u.Filename = update, n, "", names[d.random.IntN(len(names))]
		}
	}
	o.Upload, o.Title = u, ""
	d.fill(o, u, 1)
}

// part sends a missing part, in any order, or repeats one.
func (d *drawer) part(o *op, u *upload) {
	o.Title = ""
	if n := 1 + d.random.IntN(u.Total); d.random.IntN(6) == 0 && u.Have[n].Size > 0 {
		d.fill(o, u, n)
		if d.random.IntN(2) == 0 || u.fixed(n) {
			o.Content = u.Have[n]
		}
		return
	}
	var missing []int
	for n := range u.Total {
		if u.Have[n+1].Size == 0 {
			missing = append(missing, n+1)
		}
	}
	n := 1 // all parts are there, but the total is not
	if len(missing) > 0 {
		n = missing[d.random.IntN(len(missing))]
	}
	d.fill(o, u, n)
	if u.fixed(n) {
		o.Content = u.Have[n]
	}
	o.Tell = o.Tell || len(missing) <= 1
}

// fixed reports whether part n is there and cannot be replaced: part 1 of an upload without a key, whose token the
// worker does not keep.
func (u *upload) fixed(n int) bool { return n == 1 && u.Account < 0 && u.Have[n].Size > 0 }

// fill makes the operation part n of the upload.
func (d *drawer) fill(o *op, u *upload, n int) {
	o.Kind, o.Part, o.Account = part, n, u.Account
	o.Tell = d.random.IntN(2) == 0
	o.Content = d.content(u.Filename)
	o.Content.HTML = n == 1
	if d.random.IntN(2) == 0 {
		o.Once = "" // a repeated part is the same part even without it
	}
}

// content draws sizes on both sides of the limit for files in the database, and sometimes one that takes several
// writes.
func (d *drawer) content(filename string) content {
	size := 40 + d.random.IntN(6000)
	switch n := d.random.IntN(100); {
	case n < 5:
		size = 500_000 + d.random.IntN(1_000_000)
	case n < 30:
		size = 60_000 + d.random.IntN(60_000)
	}
	html := slices.Contains([]string{primary, "about.html"}, filename)
	return content{Seed: d.random.Uint64() >> 16, Size: size, HTML: html}
}

// secret draws a text that nobody can guess.
func (d *drawer) secret() string {
	return fmt.Sprintf("%016x%016x", d.random.Uint64(), d.random.Uint64())
}
