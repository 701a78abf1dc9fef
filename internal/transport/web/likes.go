package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
)

// likes is what the like button asks of the domain.
type likes interface {
	Like(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, token string, from netip.Addr, like bool) (int64, error)
	Liked(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, token string) (bool, error)
}

func (p *Pages) likeRoutes() []route {
	return []route{{"POST", "/p/{id}/like", anyone, admission.Like, form(maxForm, p.like, "like", "visitor?")}}
}

// like takes the button of a project's page: the form says whether the visitor likes
// the project from now on, so that pressing it twice is pressing it once.
func (p *Pages) like(v *visit) error {
	id := sandlot.ProjectID(v.r.PathValue("id"))
	wish := v.r.PostForm.Get("like")
	if wish != "0" && wish != "1" {
		v.problem(http.StatusBadRequest, "error.form")
		return nil
	}
	if _, err := p.Service.Current(v.r.Context(), v.by, id); err != nil {
		return err
	}
	token, err := v.welcome()
	if err != nil {
		return err
	}
	n, err := p.Gallery.Like(v.r.Context(), v.by, id, token, v.origin().Addr, wish == "1")
	if err != nil {
		return err
	}
	if strings.Contains(v.r.Header.Get("Accept"), jsonType) {
		return v.json(map[string]any{"liked": wish == "1", "likes": n})
	}
	return v.redirect("/p/" + string(id))
}

// liked reports whether the visitor's browser likes a project.
func (v *visit) liked(id sandlot.ProjectID) (bool, error) {
	return v.Gallery.Liked(v.r.Context(), v.by, id, v.visitor())
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
