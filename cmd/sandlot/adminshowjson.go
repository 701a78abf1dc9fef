package main

import (
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// This file has the output of `admin show --json`.

type keyLine struct {
	Kind       string     `json:"kind"`
	ProjectID  string     `json:"project_id,omitempty"`
	Name       string     `json:"name"`
	LastFour   string     `json:"last_four"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

type versionLine struct {
	Version   int       `json:"version"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"created_at"`
	Erased    bool      `json:"erased"`
}

type fileLine struct {
	Filename string         `json:"filename"`
	Size     int64          `json:"size"`
	SHA256   sandlot.Digest `json:"sha256"`
}

// belongings holds the records that accounts and projects have in common.
type belongings struct {
	Keys    []keyLine    `json:"keys"`
	Reports []reportLine `json:"reports"`
	Log     []logLine    `json:"log"`
}

func newBelongings(s operate.Shown) belongings {
	return belongings{
		each(s.Keys, func(k sandlot.Key) keyLine {
			return keyLine{string(k.Kind), string(k.Project), k.Name, k.LastFour, k.CreatedAt, used(k.LastUsedAt)}
		}),
		each(s.Reports, newReportLine), each(s.Log, newLogLine),
	}
}

// used returns the time of a key's last use; null if it was never used.
func used(at time.Time) *time.Time {
	if at.UnixMicro() == 0 {
		return nil
	}
	return orNil(at)
}

// each returns a list, empty and not null if there is nothing.
func each[F, T any](list []F, make func(F) T) []T {
	lines := []T{}
	for _, v := range list {
		lines = append(lines, make(v))
	}
	return lines
}

type accountShown struct {
	accountLine
	NewEmail    *string       `json:"new_email"`
	ProjectList []projectLine `json:"project_list"`
	belongings
}

func newAccountShown(s operate.Shown) accountShown {
	var proposed *string
	if s.Proposed != nil {
		proposed = &s.Proposed.Email
	}
	return accountShown{newAccountLine(*s.Account), proposed, each(s.Projects, newProjectLine), newBelongings(s)}
}

type projectShown struct {
	projectLine
	Versions []versionLine `json:"versions"`
	FileList []fileLine    `json:"files"`
	belongings
}

func newProjectShown(s operate.Shown) projectShown {
	return projectShown{
		newProjectLine(*s.Project),
		each(s.Versions, func(v sandlot.VersionChange) versionLine {
			return versionLine{v.N, v.Title, v.CreatedAt, v.Erased}
		}),
		each(s.Files, func(f sandlot.File) fileLine { return fileLine{f.Name, f.Blob.Size, f.Blob.SHA256} }),
		newBelongings(s),
	}
}

type deletedLine struct {
	Target    string    `json:"target"`
	Status    string    `json:"status"` // "deleted"
	DeletedAt time.Time `json:"deleted_at"`
	Actor     string    `json:"actor"`
	Name      string    `json:"name"`
	Reason    string    `json:"reason"`
	Log       []logLine `json:"log"`
}

func newDeletedLine(s operate.Shown) deletedLine {
	e := s.Deleted.Entry
	return deletedLine{s.Deleted.Target, "deleted", s.Deleted.At, e.Actor, e.Name, e.Reason, each(s.Log, newLogLine)}
}
