package web

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/transport/web/stencil"
)

// profilePage holds the data of the public page of an account.
type profilePage struct {
	shelf
	initial
	Person account.Person
}

// Host returns the host of the link in ASCII, so that it looks like no other.
func (p profilePage) Host() string {
	u, err := url.Parse(p.Person.Link)
	if err != nil {
		return ""
	}
	return u.Host
}

// Picture returns the file of the page's share picture: the portrait, or else the first cover; empty if there is none.
func (p profilePage) Picture() string {
	if p.Person.Portrait != "" {
		return p.Person.Portrait.File(256)
	}
	for _, c := range p.Cards {
		if c.Project.Cover != "" {
			return c.Project.Cover.File(1280)
		}
	}
	return ""
}

// profiles serves the pages of accounts.
type profiles struct {
	gallery *gallery.Service
	people  *account.Profiles
	fronts  *fronts
}

func (p profiles) routes() []route {
	return []route{{"GET", "/{profile}", anyone, admission.Look, p.profile}}
}

// profile shows a creator and their projects. An old handle redirects to the new one, and so does one in capitals.
func (p profiles) profile(v *visit) error {
	handle, isProfile := strings.CutPrefix("/"+v.r.PathValue("profile"), profilePath)
	if !isProfile {
		return sandlot.ErrNotFound
	}
	query := v.r.URL.Query()
	order, after := cmp.Or(gallery.Sort(query.Get("sort")), gallery.SortNewest), query.Get("after")
	if own := v.me != nil && v.me.Account.Handle == handle; own || v.said != "" || after != "" {
		page, err := p.personal(v, handle, order, after)
		if err != nil || page == nil {
			return err
		}
		return v.show(http.StatusOK, "profile.html", page.title(), page)
	}
	page, err := p.fronts.page(v.r.Context(), v.Lang+" "+profilePath+handle+" "+string(order), func() (stencil.Stencil, error) {
		page, err := p.personal(v, handle, order, "")
		if err != nil || page == nil {
			return nil, err
		}
		var body bytes.Buffer
		err = v.forAll().render(&body, "profile.html", page.title(), page)
		return stencil.New(body.Bytes()), err
	})
	if err != nil || page == nil {
		return err
	}
	return v.fillIn(page, nil)
}

// personal returns a page of a profile, or nil if it redirected the visitor to the current handle.
func (p profiles) personal(v *visit, handle string, order gallery.Sort, after string) (*profilePage, error) {
	person, err := p.people.Person(v.r.Context(), v.by, strings.ToLower(handle))
	if err != nil {
		return nil, err
	}
	if person.Handle != handle {
		http.Redirect(v.w, v.r, profilePath+person.Handle, http.StatusMovedPermanently)
		return nil, nil
	}
	list := shelf{of: v, At: profilePath + person.Handle, Sort: order, After: after != ""}
	page := &profilePage{Person: person, initial: initial{person.Handle}, shelf: list}
	_, page.Page, err = p.gallery.Profile(v.r.Context(), v.by, handle, order, after)
	return page, err
}

// Orders returns the orders of the projects; none for a single project.
func (p profilePage) Orders() (list []namedOrder) {
	if p.Person.Projects < 2 {
		return nil
	}
	for _, order := range gallery.ProfileOrders() {
		name := nameOf(p.of, order)
		if order == gallery.SortPlayed {
			name = p.of.T("profile.played") // of all time, as on each card
		}
		list = append(list, namedOrder{order, name})
	}
	return list
}

func (p profilePage) title() string { return "@" + p.Person.Handle }

// describe stores the owner's words about themselves.
func (s settings) describe(v *visit) error {
	typed := account.Words{Line: v.r.PostForm.Get("line"), Link: v.r.PostForm.Get("link")}
	_, err := s.people.Describe(v.r.Context(), v.by, typed)
	var refused *sandlot.Error
	switch {
	case err == nil:
		return v.done("/account/settings", "said.profile")
	case !errors.As(err, &refused) || refused.Code != sandlot.CodeInvalidField:
		return err
	}
	page := settingsPage{
		Handle: field{Value: v.me.Account.Handle}, Line: field{Value: typed.Line}, Link: field{Value: typed.Link}, typed: true,
	}
	if refused.Field == "line" {
		page.Line.Problem = v.T("settings.line-long", "n", account.MaxLine)
	} else {
		page.Link.Problem = v.T("settings.link-bad")
	}
	return s.show(v, http.StatusUnprocessableEntity, page)
}
