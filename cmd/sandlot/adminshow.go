package main

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

type showCommand struct {
	Target string `arg:"" help:"@HANDLE or e-mail address of an account; id or address of a project; also of what was deleted."`
	storage
	format
	Limit int `default:"20" placeholder:"N" help:"Maximum number of rows of each table; 0: all."`
}

// Run shows an account or a project with its records.
func (c *showCommand) Run(ctx context.Context, t *terminal) error {
	limit := c.Limit
	if limit <= 0 {
		limit = 1 << 30
	}
	return c.administer(ctx, func(a operator) error {
		s, err := a.Show(ctx, a.by, c.Target, limit)
		switch {
		case err != nil:
			return err
		case s.Deleted != nil:
			return c.show(t, newDeletedLine(s))
		case s.Account != nil:
			return c.show(t, newAccountShown(s))
		}
		return c.show(t, newProjectShown(s))
	})
}

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
	Filename string `json:"filename"`
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"`
}

func newFileLine(f sandlot.File) fileLine {
	return fileLine{f.Name, f.Blob.Size, f.Blob.SHA256.String()}
}

// belongings holds the records that accounts and projects have in common.
type belongings struct {
	Reports []reportLine `json:"reports"`
	Log     []logLine    `json:"log"`
}

func newBelongings(s operate.Shown) belongings {
	return belongings{each(s.Reports, newReportLine), each(s.Log, newLogLine)}
}

type accountShown struct {
	accountLine
	ProjectList []projectLine `json:"project_list"`
	Keys        []keyLine     `json:"keys"`
	belongings
}

func newAccountShown(s operate.Shown) accountShown {
	keys := each(s.Keys, func(k sandlot.Key) keyLine {
		return keyLine{string(k.Kind), string(k.Project), k.Name, k.LastFour, k.CreatedAt, orNil(k.LastUsedAt)}
	})
	return accountShown{newAccountLine(*s.Account), each(s.Projects, newProjectLine), keys, newBelongings(s)}
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
		each(s.Files, newFileLine),
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
