package main

import (
	"fmt"
	"maps"
	"net/http"

	api "sandlot/internal/client/client"
)

// judge compares an answer with the expected one, and returns the part of it that the ledger records.
func (s *shard) judge(o *op, a api.Answer, keys *keyring) (ack, error) {
	if o.plays() {
		return o.fitsPlay(a)
	}
	if want := s.status(o); a.Status != want {
		return ack{}, fmt.Errorf("%s was answered %d, not %d", o, a.Status, want)
	}
	if err := s.fits(o, a); err != nil {
		return ack{}, fmt.Errorf("%s was answered wrongly: %w", o, err)
	}
	return ack{
		Status: a.Status, Handle: a.Handle, Project: a.ProjectID, URL: a.URL, VersionURL: a.VersionURL, Version: a.Version,
		Account: keys.add(a.APIKey), Key: keys.add(a.ProjectAPIKey), Imported: o.report.ids(), URLs: o.report.urls(),
	}, nil
}

func (s *shard) status(o *op) int {
	switch {
	case o.Kind == part && !s.completes(o):
		return http.StatusAccepted
	case o.Kind == takeBack:
		return http.StatusSeeOther
	case s.target(o) != nil, o.Kind == imports:
		return http.StatusOK
	}
	return http.StatusCreated
}

// fits compares an answer with the shard as it will be.
func (s *shard) fits(o *op, a api.Answer) error {
	if !s.completes(o) {
		u := s.uploadOf(o).with(o)
		if len(a.ReceivedParts) != len(u.Have) {
			return fmt.Errorf("it has parts %v, and %d were accepted", a.ReceivedParts, len(u.Have))
		}
		return nil
	}
	if o.Kind == imports {
		return s.fitsImport(o)
	}
	if p := s.target(o); p != nil {
		return s.fitsChange(p, o, a)
	}
	nobody := o.Kind == signup || s.owner(o) < 0
	if o.Kind != signup && (a.Version != 1 || a.ProjectID == "" || a.URL == "" || !isKey(a.ProjectAPIKey)) {
		return fmt.Errorf("version %d, address %q", a.Version, a.URL)
	}
	if nobody && (!isKey(a.APIKey) || a.Handle == "" || a.Email == "") {
		return fmt.Errorf("an account with the handle %q, the address %q", a.Handle, a.Email)
	}
	if !nobody && !o.Ticketed && sumOf(a.APIKey) != s.Accounts[s.owner(o)].Key {
		return fmt.Errorf("another account's key")
	}
	if o.Kind == signup {
		return nil
	}
	after := s.after()
	return namesFiles(after.newest(o).Files, a.Files)
}

func (s *shard) fitsChange(p *project, o *op, a api.Answer) error {
	if (o.Kind == trash || o.Kind == takeBack) && a.ProjectID == p.ID {
		return nil
	}
	if a.ProjectID != p.ID || a.Version != p.Version+1 || a.Previous != p.Version {
		return fmt.Errorf("%s went from %d to %d; it is %s at %d", a.ProjectID, a.Previous, a.Version, p.ID, p.Version)
	}
	next := s.after().find(p.ID)
	if o.Kind == remove {
		if a.Deleted != o.Filename {
			return fmt.Errorf("%q was deleted, not %q", a.Deleted, o.Filename)
		}
		if a.FileCount != len(next.Files) {
			return fmt.Errorf("%d files are left, not %d", a.FileCount, len(next.Files))
		}
		return nil
	}
	if o.Kind == restore {
		return nil
	}
	if o.Many > 0 {
		return fitsMany(p.Files, o, a)
	}
	if want := next.Files[a.Filename]; want != (file{a.Size, a.SHA256}) {
		return fmt.Errorf("%q has %d bytes, not %d, or wrong ones", a.Filename, a.Size, want.Size)
	}
	return nil
}

// fitsMany compares the answer about many files with the files that were there before.
func fitsMany(before map[string]file, o *op, a api.Answer) error {
	sent, removed := o.files(), 0
	changed := maps.Clone(sent)
	for name, f := range before {
		if _, again := sent[name]; !again && o.Replace {
			removed++
		}
		if sent[name] == f {
			delete(changed, name)
		}
	}
	if a.Unchanged != len(sent)-len(changed) || a.Removed != removed {
		return fmt.Errorf("%d files are unchanged and %d removed, not %d and %d", a.Unchanged, a.Removed, len(sent)-len(changed), removed)
	}
	return namesFiles(changed, a.Files)
}

// newest returns the project that the operation has just made.
func (s *shard) newest(o *op) *project {
	for _, a := range s.Accounts {
		for _, p := range a.Projects {
			if p.Changed == o.ID {
				return p
			}
		}
	}
	return nil
}

func (s *shard) find(id string) *project {
	for _, a := range s.Accounts {
		for _, p := range a.Projects {
			if p.ID == id {
				return p
			}
		}
	}
	return nil
}

// mostNamed is the number of files listed in the answer of a change.
const mostNamed = 100

// sameFiles compares a list of files with the expected ones.
func sameFiles(want map[string]file, got []api.File) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d files, not %d", len(got), len(want))
	}
	return eachIn(want, got)
}

// namesFiles compares the files listed in the answer of a change with the new and changed ones.
func namesFiles(want map[string]file, got []api.File) error {
	if len(got) != min(len(want), mostNamed) {
		return fmt.Errorf("%d files of %d are named", len(got), len(want))
	}
	return eachIn(want, got)
}

func eachIn(want map[string]file, got []api.File) error {
	for _, f := range got {
		if want[f.Filename] != (file{f.Size, f.SHA256}) {
			return fmt.Errorf("the file %q has %d bytes and the hash %s, not %v", f.Filename, f.Size, f.SHA256, want[f.Filename])
		}
	}
	return nil
}
