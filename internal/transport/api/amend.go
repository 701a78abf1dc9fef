package api

import (
	"net/http"
	"strconv"

	"sandlot/internal/domain/publish"
)

func (a *API) amend(c *call, in publish.AmendInput) (reply, error) {
	v, err := a.Service.Amend(c.R.Context(), c.By, c.param, in)
	if err != nil {
		return reply{}, err
	}
	c.W.Header().Set("ETag", `"`+strconv.Itoa(v.Project.Version)+`"`)
	return reply{http.StatusOK, &ownedAnswer{newProject(v), a.notes(c, v.Warnings)}}, nil
}

// ownedAnswer holds a project as its owner sees it, without its files.
type ownedAnswer struct {
	projectInfo
	notes
}
