package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/names"
	"sandlot/internal/transport/web/texts"
)

// keys serves the page of an account's keys.
type keys struct{ service *publish.Keyring }

func (k keys) routes() []route {
	return []route{
		{"GET", "/account/keys", owner, admission.Look, k.page},
		{"POST", "/account/keys", recent, admission.Look, form(maxForm, k.mint, "project", "name", "form_token")},
		{"GET", "/account/keys/revoke", recent, admission.Look, k.askRevoke},
		{"POST", "/account/keys/revoke", recent, admission.Look, form(maxForm, k.revoke, "id", "grant?")},
		{"GET", "/account/keys/rotate", recent, admission.Look, k.askRotate},
		{"POST", "/account/keys/rotate", recent, admission.Look, replaceKeys(k.service.RotateKey, "said.rotated")},
		{"GET", "/account/keys/replace", recent, admission.Look, k.askReplace},
		{"POST", "/account/keys/replace", recent, admission.Look, replaceKeys(k.service.ReplaceOldKeys, "said.replaced")},
	}
}

// keysPage holds the data of the page of the keys.
type keysPage struct {
	Grants    []grant
	Keys      []sandlot.Key
	Next      int64             // the cursor of the next page; 0: none
	Projects  []sandlot.Project // to choose from, last changed first
	More      bool              // whether there are others: their ids can be typed
	Name      field
	Project   string // chosen
	FormToken string // of the forms
	Old       int    // keys from before the address was verified
	Verified  time.Time
	Fresh     bool // whether the login may change keys
}

// A grant is a key of a program that its owner let in.
type grant struct {
	sandlot.Key
	Called string // its name, its host, or a word for neither
	Host   string // of its metadata document; empty: none
}

func (v *visit) grantOf(k sandlot.Key) grant {
	g := grant{Key: k}
	if u, err := url.Parse(k.Client); err == nil && u.Scheme == "https" {
		g.Host = u.Host
	}
	if g.Called = cmp.Or(k.Name, g.Host); g.Called != "" {
		return g
	}
	g.Called = v.T("keys.grant-unnamed")
	if k.Client == oauth.Terminal {
		g.Called = v.T("keys.grant-terminal")
	}
	return g
}

// Title returns the title of a project; empty if the page does not have it.
func (p keysPage) Title(id sandlot.ProjectID) string {
	i := slices.IndexFunc(p.Projects, func(of sandlot.Project) bool { return of.ID == id })
	if i < 0 {
		return ""
	}
	return p.Projects[i].Title
}

// newKeyPage shows a secret. Secret is empty if the form came a second time, for a secret is shown once.
type newKeyPage struct {
	Secret, Name string
	Project      sandlot.ProjectID
}

func (k keys) page(v *visit) error {
	return k.show(v, http.StatusOK, keysPage{Project: v.r.URL.Query().Get("project")})
}

// show sets the fields that the page always has.
func (k keys) show(v *visit, status int, page keysPage) error {
	before, _ := strconv.ParseInt(v.r.URL.Query().Get("after"), 10, 64) // an invalid number means the first page
	ctx := v.r.Context()
	list, next, err := k.service.Keys(ctx, v.by, max(before, 0))
	if err != nil {
		return err
	}
	page.Next = next
	for _, one := range list {
		if one.Client != "" {
			page.Grants = append(page.Grants, v.grantOf(one))
		} else {
			page.Keys = append(page.Keys, one)
		}
	}
	if page.Old, page.Verified, err = k.service.OldKeys(ctx, v.by); err != nil {
		return err
	}
	if page.Projects, page.More, err = k.service.KeyProjects(ctx, v.by); err != nil {
		return err
	}
	if page.Fresh = v.fresh(); page.Fresh {
		if page.FormToken, err = k.service.FormToken(v.r.Context(), v.by); err != nil {
			return err
		}
	}
	return v.show(status, "keys.html", v.T("keys.title"), page)
}

// mint shows the secret on the page itself: it is in no address and is stored nowhere.
func (k keys) mint(v *visit) error {
	project := sandlot.ProjectID(strings.TrimSpace(v.r.PostForm.Get("project")))
	in := publish.NewKey{Project: project, Name: v.r.PostForm.Get("name"), Form: v.r.PostForm.Get("form_token")}
	secret, err := k.service.MintKey(v.r.Context(), v.by, in)
	wrong := ""
	switch {
	case errors.Is(err, publish.ErrTooMany):
		wrong = v.T("keys.many")
	case refusedToken(err):
		return err
	case errors.Is(err, sandlot.CodeInvalidField):
		wrong = v.T("keys.name-bad", "n", publish.MaxKeyName)
	default:
		return showSecret(v, secret, newKeyPage{Name: in.Name, Project: in.Project}, err)
	}
	return k.show(v, http.StatusUnprocessableEntity, keysPage{Name: field{in.Name, wrong}, Project: string(in.Project)})
}

// replaceKeys handles the form of a step that ends keys and mints one in their place.
func replaceKeys(
	step func(context.Context, sandlot.Caller, string) (sandlot.Secret, error), said string,
) func(*visit) error {
	return form(maxForm, func(v *visit) error {
		secret, err := step(v.r.Context(), v.by, v.r.PostForm.Get("form_token"))
		if err == nil {
			v.said = v.Rich(said)
		}
		return showSecret(v, secret, newKeyPage{Name: v.T("keys.account")}, err)
	}, "form_token")
}

// showSecret shows a new key. A form that was sent a second time minted the key the first time, and the key is not
// shown again.
func showSecret(v *visit, secret sandlot.Secret, page newKeyPage, err error) error {
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

// askRevoke asks for confirmation, and names the key to revoke.
func (k keys) askRevoke(v *visit) error {
	id, err := strconv.ParseInt(v.query("id"), 10, 64)
	if err != nil || id < 1 {
		return sandlot.ErrNotFound
	}
	list, _, err := k.service.Keys(v.r.Context(), v.by, id+1)
	if err != nil {
		return err
	}
	for _, one := range list {
		if one.ID != id {
			continue
		}
		if one.Client != "" {
			return v.ask(v.T("keys.grant-end-title", "name", texts.Isolated(v.grantOf(one).Called)), askPage{
				Leads:  []any{v.T("keys.grant-end-lead")},
				Fields: []askField{{"id", strconv.FormatInt(id, 10)}, {"grant", "true"}},
				Action: "/account/keys/revoke", Yes: v.T("keys.grant-end"), Back: "/account/keys",
			})
		}
		name := one.Name
		if one.Project == "" {
			name = v.T("keys.account")
		}
		return v.ask(v.T("keys.revoke-title", "name", name), askPage{
			Leads:  []any{v.T("keys.revoke-lead", "last", one.LastFour)},
			Fields: []askField{{"id", strconv.FormatInt(id, 10)}},
			Action: "/account/keys/revoke", Yes: v.T("keys.revoke"), Back: "/account/keys",
		})
	}
	return v.done("/account/keys", "said.revoked") // by an earlier form
}

func (k keys) askRotate(v *visit) error {
	return k.askAgain(v, v.T("keys.rotate"), "/account/keys/rotate", v.T("keys.rotate-yes"), v.T("keys.rotate-about"))
}

func (k keys) askReplace(v *visit) error {
	n, verified, err := k.service.OldKeys(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	if n == 0 {
		return v.redirect("/account/keys") // the page offers no such button
	}
	lead := v.Rich("keys.old-about", "n", n, "time", v.Time(verified))
	return k.askAgain(v, v.T("keys.old"), "/account/keys/replace", v.T("keys.old-yes"), lead)
}

func (k keys) askAgain(v *visit, title, action, yes string, lead any) error {
	formToken, err := k.service.FormToken(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	fields := []askField{{"form_token", formToken}}
	return v.ask(title, askPage{[]any{lead, v.T("ask.for-good")}, action, fields, yes, "/account/keys"})
}

// revoke ends a key at once; pressing the button twice is no error.
func (k keys) revoke(v *visit) error {
	id, err := strconv.ParseInt(v.r.PostForm.Get("id"), 10, 64)
	if err != nil {
		return sandlot.ErrNotFound
	}
	said := "said.revoked"
	if v.r.PostForm.Get("grant") != "" {
		said = "said.grant-ended"
	}
	return v.doneIf(k.service.RevokeKey(v.r.Context(), v.by, id), "/account/keys", said)
}

// keyPrefix returns the prefix of the keys of a kind.
func keyPrefix(kind sandlot.KeyKind) string {
	switch kind {
	case sandlot.AccountKey:
		return names.AccountPrefix
	case sandlot.EditToken:
		return names.EditPrefix
	}
	return names.ProjectPrefix
}
