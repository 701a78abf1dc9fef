package web

import (
	"crypto/rand"
	"net/http"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// askPage asks once before something is done that cannot be taken back, or under a name
// that is not what was typed. It works without scripts, and nothing else asks again.
type askPage struct {
	Leads  []any  // a string, or HTML
	Action string // where the form is sent
	Fields []askField
	Yes    string
	Back   string // where whoever says no goes
}

type askField struct{ Name, Value string }

func (v *visit) ask(title string, page askPage) error {
	return v.show(http.StatusOK, "ask.html", title, page)
}

// query is a word of the address, as a form would send it.
func (v *visit) query(name string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(v.r.URL.Query().Get(name), "\x00", ""), "")
}

// askRename shows the handle that it will be.
func (p *Pages) askRename(v *visit) error { return v.askHandle(v.query("handle")) }

func (v *visit) askHandle(want string) error {
	handle, err := v.Account.HandleFor(v.r.Context(), v.by, want)
	switch {
	case err != nil:
		return v.handleRefused(want, err)
	case handle == v.me.Account.Handle:
		return v.done("/account/settings", "said.handle-same", "handle", handle)
	}
	return v.ask(v.T("rename.title", "handle", handle), askPage{
		Leads:  []any{v.T("rename.lead", "handle", handle, "old", v.me.Account.Handle)},
		Action: "/account/settings/handle", Fields: []askField{{"handle", handle}}, Yes: v.T("settings.handle-save"), Back: "/account/settings",
	})
}

// askRevoke names the key that ends.
func (p *Pages) askRevoke(v *visit) error {
	id, err := strconv.ParseInt(v.query("id"), 10, 64)
	if err != nil || id < 1 {
		return sandlot.ErrNotFound
	}
	list, _, err := p.Service.Keys(v.r.Context(), v.by, id+1)
	if err != nil {
		return err
	}
	for _, k := range list {
		if k.ID != id {
			continue
		}
		name := k.Name
		if k.Project == "" {
			name = v.T("keys.account")
		}
		return v.ask(v.T("keys.revoke-title", "name", name), askPage{
			Leads:  []any{v.T("keys.revoke-lead", "last", k.LastFour)},
			Action: "/account/keys/revoke", Fields: []askField{{"id", strconv.FormatInt(id, 10)}}, Yes: v.T("keys.revoke"), Back: "/account/keys",
		})
	}
	return v.done("/account/keys", "said.revoked") // by a form that was sent before
}

func (p *Pages) askRotate(v *visit) error {
	return v.askKeys(v.T("keys.rotate"), "/account/keys/rotate", v.T("keys.rotate-yes"), v.T("keys.rotate-about"))
}

func (p *Pages) askReplace(v *visit) error {
	n, verified, err := p.Service.OldKeys(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	if n == 0 {
		return v.redirect("/account/keys") // the page offers no such button
	}
	return v.askKeys(v.T("keys.old"), "/account/keys/replace", v.T("keys.old-yes"), view{visit: v}.Rich("keys.old-about", "n", n, "time", view{visit: v}.Time(verified)))
}

func (v *visit) askKeys(title, action, yes string, lead any) error {
	formToken, err := v.Service.FormToken(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	return v.ask(title, askPage{Leads: []any{lead, v.T("ask.for-good")}, Action: action, Fields: []askField{{"form_token", formToken}}, Yes: yes, Back: "/account/keys"})
}

// askRemove names the file that is deleted.
func (p *Pages) askRemove(v *visit) error {
	name := v.query("file")
	if name == "" {
		return sandlot.ErrNotFound
	}
	m, err := v.manage()
	if err != nil {
		return err
	}
	return v.ask(v.T("own.remove-title", "name", name), askPage{
		Leads:  []any{v.T("own.remove-lead")},
		Action: ownForm(v, "remove"), Fields: []askField{{"file", name}, {"form_token", rand.Text()}, {"seen", strconv.Itoa(m.Project.Version)}},
		Yes: v.T("own.remove"), Back: ownFolder(v) + "#files",
	})
}

// askFilename shows the name that a file will have, where it is not the one that was typed.
func (v *visit) askFilename(from, to string, form publish.Form) error {
	return v.ask(v.T("own.move-title", "from", from, "to", to), askPage{
		Action: ownForm(v, "move"), Fields: []askField{{"file", from}, {"to", to}, {"form_token", form.Token}, {"seen", strconv.Itoa(form.Seen)}}, Yes: v.T("own.move"), Back: ownFolder(v) + "#files",
	})
}
