package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
)

// keyrings is what the page of the keys asks of the domain. Each method knows
// only of the keys of the caller's account.
type keyrings interface {
	Keys(ctx context.Context, by sandlot.Caller, before int64) (list []sandlot.Key, next int64, err error)
	KeyProjects(ctx context.Context, by sandlot.Caller) (list []sandlot.Project, more bool, err error)
	FormToken(ctx context.Context, by sandlot.Caller) (string, error)
	MintKey(ctx context.Context, by sandlot.Caller, in publish.NewKey) (sandlot.Secret, error)
	RotateKey(ctx context.Context, by sandlot.Caller, formToken string) (sandlot.Secret, error)
	RevokeKey(ctx context.Context, by sandlot.Caller, id int64) error
	OldKeys(ctx context.Context, by sandlot.Caller) (n int, verified time.Time, err error)
	ReplaceOldKeys(ctx context.Context, by sandlot.Caller, formToken string) (sandlot.Secret, error)
}

func (p *Pages) keyRoutes() []route {
	return []route{
		{"GET", "/account/keys", owner, admission.Look, p.keys},
		{"POST", "/account/keys", recent, admission.Look, form(maxForm, p.mintKey, "project", "name", "form_token")},
		{"GET", "/account/keys/revoke", recent, admission.Look, p.askRevoke},
		{"POST", "/account/keys/revoke", recent, admission.Look, form(maxForm, p.revokeKey, "id")},
		{"GET", "/account/keys/rotate", recent, admission.Look, p.askRotate},
		{"POST", "/account/keys/rotate", recent, admission.Look, form(maxForm, p.rotateKey, "form_token")},
		{"GET", "/account/keys/replace", recent, admission.Look, p.askReplace},
		{"POST", "/account/keys/replace", recent, admission.Look, form(maxForm, p.replaceOldKeys, "form_token")},
	}
}

// keysPage is what the page of the keys shows.
type keysPage struct {
	Keys      []sandlot.Key
	Next      int64             // where the next page begins; 0: nowhere
	Projects  []sandlot.Project // to choose from, those changed last
	More      bool              // whether there are others: their ids can be typed
	Name      field
	Project   string // chosen
	FormToken string // of the forms
	Old       int    // keys from before the address was verified
	Verified  time.Time
	Fresh     bool // whether the login may change keys
}

// Title is what a project is called; empty where that is not known here.
func (p keysPage) Title(id sandlot.ProjectID) string {
	i := slices.IndexFunc(p.Projects, func(of sandlot.Project) bool { return of.ID == id })
	if i < 0 {
		return ""
	}
	return p.Projects[i].Title
}

// newKeyPage shows a secret. It is empty if the form came a second time, for a secret is shown once.
type newKeyPage struct {
	Secret, Name string
	Project      sandlot.ProjectID
}

func (p *Pages) keys(v *visit) error {
	return v.showKeys(http.StatusOK, keysPage{Project: v.r.URL.Query().Get("project")})
}

// showKeys fills in what the page has in any case.
func (v *visit) showKeys(status int, page keysPage) error {
	before, _ := strconv.ParseInt(v.r.URL.Query().Get("after"), 10, 64) // an invalid number means the first page
	ctx := v.r.Context()
	var err error
	if page.Keys, page.Next, err = v.Service.Keys(ctx, v.by, max(before, 0)); err != nil {
		return err
	}
	if page.Old, page.Verified, err = v.Service.OldKeys(ctx, v.by); err != nil {
		return err
	}
	if page.Projects, page.More, err = v.Service.KeyProjects(ctx, v.by); err != nil {
		return err
	}
	if page.Fresh = v.fresh(); page.Fresh {
		if page.FormToken, err = v.Service.FormToken(v.r.Context(), v.by); err != nil {
			return err
		}
	}
	return v.show(status, "keys.html", v.T("keys.title"), page)
}

// mintKey answers with the secret itself: it is in no address and nowhere kept.
func (p *Pages) mintKey(v *visit) error {
	in := publish.NewKey{Project: sandlot.ProjectID(strings.TrimSpace(v.r.PostForm.Get("project"))), Name: v.r.PostForm.Get("name"), Form: v.r.PostForm.Get("form_token")}
	secret, err := p.Service.MintKey(v.r.Context(), v.by, in)
	wrong := ""
	switch {
	case errors.Is(err, publish.ErrTooMany):
		wrong = v.T("keys.many")
	case refusedToken(err):
		return err
	case errors.Is(err, sandlot.CodeInvalidField):
		wrong = v.T("keys.name-bad", "n", publish.MaxKeyName)
	default:
		return v.showSecret(secret, newKeyPage{Name: in.Name, Project: in.Project}, err)
	}
	return v.showKeys(http.StatusUnprocessableEntity, keysPage{Name: field{in.Name, wrong}, Project: string(in.Project)})
}

func (p *Pages) rotateKey(v *visit) error {
	return v.replaceKeys(p.Service.RotateKey, "said.rotated")
}

// replaceOldKeys ends the keys from before the address was verified.
func (p *Pages) replaceOldKeys(v *visit) error {
	return v.replaceKeys(p.Service.ReplaceOldKeys, "said.replaced")
}

func (v *visit) replaceKeys(replace func(context.Context, sandlot.Caller, string) (sandlot.Secret, error), said string) error {
	secret, err := replace(v.r.Context(), v.by, v.r.PostForm.Get("form_token"))
	if err == nil {
		v.said = v.book.sayHTML(v.lang, said)
	}
	return v.showSecret(secret, newKeyPage{Name: v.T("keys.account")}, err)
}

// showSecret shows a new key. A form that was sent a second time made it the
// first time, and nobody can be told it again.
func (v *visit) showSecret(secret sandlot.Secret, page newKeyPage, err error) error {
	title := v.T("key.title")
	switch {
	case errors.Is(err, sandlot.ErrAlreadyDone):
		title = v.T("key.again-title")
	case err != nil:
		return err
	default:
		page.Secret = secret.Reveal()
	}
	return v.show(http.StatusOK, "key_new.html", title, page)
}

// revokeKey ends a key at once; the button may be pressed twice.
func (p *Pages) revokeKey(v *visit) error {
	id, err := strconv.ParseInt(v.r.PostForm.Get("id"), 10, 64)
	if err != nil {
		return sandlot.ErrNotFound
	}
	if err := p.Service.RevokeKey(v.r.Context(), v.by, id); err != nil {
		return err
	}
	return v.done("/account/keys", "said.revoked")
}

// Prefix is what the keys of a kind begin with.
func (v view) Prefix(kind sandlot.KeyKind) string {
	if kind == sandlot.AccountKey {
		return "sla_"
	}
	return "slp_"
}
