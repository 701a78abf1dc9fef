package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"

	"sandlot"
)

// likes is what the like button asks of the domain.
type likes interface {
	Like(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, token string, from netip.Addr, like bool) (int64, error)
	Liked(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, token string) (bool, error)
}

// like takes the button of a project's page: the form says whether the visitor likes
// the project from now on, so that pressing it twice is pressing it once.
func (p *projectPages) like(v *visit) error {
	id := sandlot.ProjectID(v.r.PathValue("id"))
	wish := v.r.PostForm.Get("like")
	if wish != "0" && wish != "1" {
		v.problem(http.StatusBadRequest, "error.form")
		return nil
	}
	if _, err := p.heads.Current(v.r.Context(), v.by, id); err != nil {
		return err
	}
	token, err := p.visitors.welcome(v)
	if err != nil {
		return err
	}
	n, err := p.gallery.Like(v.r.Context(), v.by, id, token, v.origin().Addr, wish == "1")
	if err != nil {
		return err
	}
	if strings.Contains(v.r.Header.Get("Accept"), jsonType) {
		return v.json(map[string]any{"liked": wish == "1", "likes": n})
	}
	return v.redirect("/p/" + string(id))
}

const jsonType = "application/json"

// json answers a script of ours.
func (v *visit) json(answer any) error {
	body, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", jsonType)
	_, _ = v.w.Write(body) // the browser is gone if this fails
	return nil
}
