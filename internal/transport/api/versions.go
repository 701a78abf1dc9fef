package api

import (
	"net/http"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// versions lists the versions of a project for its owner.
func (a *API) versions(c *call) error {
	limit, err := c.limit(sandlot.OpVersions, "versions")
	if err != nil {
		return err
	}
	made, sent, err := a.begin(c)
	if err != nil {
		return err
	}
	defer sent()
	page, err := a.Reader.Versions(c.R.Context(), c.By, c.param, limit, c.R.URL.Query().Get("cursor"))
	made()
	if err != nil {
		return err
	}
	for _, one := range page.Versions {
		c.Grant.Files(len(one.Files))
	}
	return c.answer(reply{http.StatusOK, newVersions(page)})
}

func (a *API) restore(c *call, in publish.RestoreInput) (reply, error) {
	out, err := a.Service.Restore(c.R.Context(), c.By, in)
	c.fromRecord(out.FromRecord)
	return reply{http.StatusOK, newRestored(out, a.notes(c, out.Warnings))}, err
}

type versionsAnswer struct {
	ProjectID  string        `json:"project_id"`
	Version    int           `json:"version"`
	Versions   []versionInfo `json:"versions"`
	NextCursor text          `json:"next_cursor"`
}

type versionInfo struct {
	Version      int           `json:"version"`
	CreatedAt    moment        `json:"created_at"`
	Title        text          `json:"title"`
	VersionURL   text          `json:"version_url"`
	Erased       bool          `json:"erased"`
	RestoredFrom *int          `json:"restored_from"`
	Changes      *changesCount `json:"changes"`
}

// changesCount holds the numbers of files that a version changed against the one before it.
type changesCount struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Removed int `json:"removed"`
}

func newVersions(page sandlot.VersionPage) *versionsAnswer {
	out := &versionsAnswer{string(page.Project.ID), page.Project.Version, make([]versionInfo, len(page.Versions)), text(page.Next)}
	for i, v := range page.Versions {
		info := versionInfo{Version: v.N, CreatedAt: moment(v.CreatedAt), Title: text(v.Title), VersionURL: text(v.Address), Erased: v.Erased}
		if v.RestoredFrom != 0 {
			info.RestoredFrom = &v.RestoredFrom
		}
		if v.Known {
			info.Changes = &changesCount{len(v.Added), len(v.Changed), len(v.Removed)}
		}
		out.Versions[i] = info
	}
	return out
}

type restoredAnswer struct {
	versionAnswer
	RestoredFrom int    `json:"restored_from"`
	PrimaryFile  string `json:"primary_file"`
	Size         int64  `json:"size"`
	FileCount    int    `json:"file_count"`
	notes
}

func newRestored(r publish.Restored, n notes) *restoredAnswer {
	p := r.Project
	return &restoredAnswer{newVersion(p, r.Addresses, r.Previous, r.Quarantined), r.From, p.Primary, p.Size, p.FileCount, n}
}
