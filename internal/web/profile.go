package web

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"sandlot/internal/people"
	"sandlot/internal/publish"
)

// profilePage is what the page of an account shows to everybody.
type profilePage struct {
	shelf
	initial
	Person people.Person
}

// Host is the host of the link, as it is asked for: in ASCII, so that it looks like no other.
func (p profilePage) Host() string {
	u, err := url.Parse(p.Person.Link)
	if err != nil {
		return ""
	}
	return u.Host
}

// profile shows a creator and their projects. An old handle leads to the new one, and so does
// one in capitals.
func (p *Pages) profile(v *visit) error {
	handle, isProfile := strings.CutPrefix("/"+v.r.PathValue("profile"), profilePath)
	if !isProfile {
		return p.missing(v)
	}
	after := v.r.URL.Query().Get("after")
	alike := v.me == nil && v.said == "" && after == ""
	key, now := profileKey{v.lang, handle}, p.Now()
	if alike {
		if body, ok := p.profiles.get(key, now); ok {
			v.answer(http.StatusOK, body)
			return nil
		}
	}
	person, err := p.People.Person(v.r.Context(), v.by, strings.ToLower(handle))
	if err != nil {
		return err
	}
	if person.Handle != handle {
		http.Redirect(v.w, v.r, profilePath+person.Handle, http.StatusMovedPermanently)
		return nil
	}
	page := profilePage{Person: person, initial: initial{person.Handle}, shelf: shelf{of: v, At: profilePath + person.Handle, After: after != ""}}
	if _, page.Page, err = p.Gallery.Profile(v.r.Context(), v.by, handle, after); err != nil {
		return err
	}
	if !alike {
		return v.show(http.StatusOK, "profile.html", "@"+handle, page)
	}
	var body bytes.Buffer
	if err := v.render(&body, "profile.html", "@"+handle, page); err != nil {
		return err
	}
	p.profiles.put(key, body.Bytes(), now)
	v.answer(http.StatusOK, body.Bytes())
	return nil
}

// mostProfiles is how many rendered profiles are kept, at some 20 KB each: those that many open at once.
const mostProfiles = 256

// A keptProfile is a profile as it was rendered at a time.
type keptProfile struct {
	body []byte
	at   time.Time
}

type profileKey struct{ lang, handle string }

// profiles keeps what was rendered last of accounts for whoever has no login, as long as fronts does. It may be used concurrently.
type profiles struct {
	mu   sync.RWMutex
	kept map[profileKey]keptProfile
}

func (c *profiles) get(key profileKey, now time.Time) ([]byte, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	page, ok := c.kept[key]
	return page.body, ok && now.Sub(page.at).Abs() < frontFor
}

func (c *profiles) put(key profileKey, body []byte, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= mostProfiles {
		c.kept = map[profileKey]keptProfile{} // they are worth little: each is made anew a second later anyway
	}
	c.kept[key] = keptProfile{body, now}
}

// describeSelf records what an owner says about themselves.
func describeSelf(v *visit) error {
	typed := people.Words{Line: v.r.PostForm.Get("line"), Link: v.r.PostForm.Get("link")}
	_, err := v.People.Describe(v.r.Context(), v.by, typed)
	var refused *publish.Error
	switch {
	case err == nil:
		return v.done("/account/settings", "said.profile")
	case !errors.As(err, &refused) || refused.Code != publish.CodeInvalidField:
		return err
	}
	page := settingsPage{Handle: field{Value: v.me.Account.Handle}, Line: field{Value: typed.Line}, Link: field{Value: typed.Link}, typed: true}
	if refused.Field == "line" {
		page.Line.Problem = v.T("settings.line-long", "n", people.MaxLine)
	} else {
		page.Link.Problem = v.T("settings.link-bad")
	}
	return v.showSettings(http.StatusUnprocessableEntity, page)
}
