package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
)

// invitationsPath is the page of an operator's account, and invitePath that of a link.
const (
	invitationsPath = "/account/invitations"
	invitePath      = "/invite"
)

// InvitePath returns the path of the link of an invitation.
func InvitePath(token string) string { return invitePath + "?token=" + url.QueryEscape(token) }

// invitations serves the page on which an operator's account makes, lists and ends invitations, and the page of a link.
type invitations struct {
	service  *operate.Invitations
	accounts *publish.Service
	form     beginnings
}

func (i invitations) routes() []route {
	return []route{
		{"GET", invitationsPath, owner, admission.Look, i.page},
		{"POST", invitationsPath, recent, admission.Look, form(maxForm, i.make, "projects", "days", "form_token")},
		{"POST", invitationsPath + "/end", owner, admission.Look, form(maxForm, i.end, "id")},
		{"GET", invitePath, anyone, admission.Look, i.ask},
		// An invitation is a limit of its own: a class behind one address opens its accounts at once.
		{"POST", invitePath, anyone, admission.Look, form(maxForm, i.join, "token", "form_token", "handle", "email")},
	}
}

// invitationsPage holds the data of the operator's page.
type invitationsPage struct {
	List           []operate.Invitation
	Next           int64  // the cursor of the next page; 0: none
	Link           string // of the invitation that was just made
	Made           operate.Invitation
	FormToken      string
	Days, Projects string // as typed
	Wrong          string
	Fresh          bool // whether the login may make invitations
}

// invitationsShown is the number of invitations on a page.
const invitationsShown = 100

// InviteState returns the state of an invitation as the list shows it.
func (v view) InviteState(i operate.Invitation) operate.InvitationState { return i.State(v.now()) }

func (i invitations) page(v *visit) error {
	return i.show(v, http.StatusOK, invitationsPage{Days: strconv.Itoa(operate.InvitationDays)})
}

// show sets the fields that the page always has. For an account without the role there is no such page.
func (i invitations) show(v *visit, status int, page invitationsPage) error {
	before, _ := strconv.ParseInt(v.r.URL.Query().Get("after"), 10, 64) // an invalid number means the first page
	list, err := i.service.List(v.r.Context(), v.by, max(before, 0), invitationsShown+1)
	if err != nil {
		return unlessOperator(err)
	}
	if len(list) > invitationsShown {
		list = list[:invitationsShown]
		page.Next = list[invitationsShown-1].ID
	}
	page.List, page.Fresh, page.FormToken = list, v.fresh(), rand.Text()
	return v.show(status, "invitations.html", v.T("invitations.title"), page)
}

// unlessOperator hides a page from everybody but operators.
func unlessOperator(err error) error {
	if errors.Is(err, sandlot.ErrOperatorNeeded) {
		return sandlot.ErrNotFound
	}
	return err
}

// make makes an invitation and shows its link on the page itself: it is in no address and is stored nowhere. A form that
// was sent twice shows the same link.
func (i invitations) make(v *visit) error {
	typed := func(name string) string { return strings.TrimSpace(v.r.PostForm.Get(name)) }
	page := invitationsPage{Days: typed("days"), Projects: typed("projects")}
	in := operate.InviteInput{Form: typed("form_token")}
	var bad, none error
	in.Days, bad = strconv.Atoi(page.Days)
	if page.Projects != "" {
		in.Projects, none = strconv.Atoi(page.Projects)
	}
	if bad = errors.Join(bad, none); bad == nil && in.Days == 0 {
		bad = strconv.ErrRange
	}
	if in.Form == "" {
		return v.problem(http.StatusBadRequest, "error.form")
	}
	var token string
	err := bad
	if bad == nil {
		page.Made, token, err = i.service.Invite(v.r.Context(), v.by, in)
	}
	switch {
	case err == nil:
		page.Link = v.places.Base.String() + InvitePath(token)
		return i.show(v, http.StatusOK, page)
	case bad == nil && !errors.Is(err, sandlot.CodeInvalidField):
		return unlessOperator(err)
	}
	page.Wrong = v.T("invitations.bad", "days", operate.MaxInvitationDays)
	return i.show(v, http.StatusUnprocessableEntity, page)
}

// end ends an invitation. An invitation that opens no account any more is no error: the list shows its state.
func (i invitations) end(v *visit) error {
	id, err := strconv.ParseInt(v.r.PostForm.Get("id"), 10, 64)
	if err != nil || id < 1 {
		return sandlot.ErrNotFound
	}
	err = i.service.End(v.r.Context(), v.by, id)
	if errors.Is(err, sandlot.ErrNotFound) {
		return v.redirect(invitationsPath)
	}
	return v.doneIf(unlessOperator(err), invitationsPath, "said.invitation-ended")
}

// invitePage holds the data of the page of a link. Done is set once the account is open.
type invitePage struct {
	operate.Invitation
	Token, FormToken string
	Handle, Email    string // as typed
	Wrong            string
	Done             *publish.SignedUp
}

// Key returns the key of the account, in clear.
func (p invitePage) Key() string { return p.Done.Key.Reveal() }

// ask describes the account that a link opens, and opens none: see askVerify.
func (i invitations) ask(v *visit) error {
	return i.showInvite(v, http.StatusOK, invitePage{Token: linkToken(v)})
}

func (i invitations) showInvite(v *visit, status int, page invitePage) error {
	var err error
	page.Invitation, err = i.service.Opens(v.r.Context(), v.by, page.Token)
	if err != nil {
		return invitationOver(v, err)
	}
	page.FormToken = rand.Text()
	return v.show(status, "invite.html", v.T("invite.title"), page)
}

// invitationOver shows that a link opens no account any more.
func invitationOver(v *visit, err error) error {
	if !errors.Is(err, sandlot.ErrNotFound) {
		return err
	}
	return v.problem(http.StatusGone, "error.invitation")
}

// open opens an account. A form that comes twice at once waits for the first to be answered.
func (i invitations) open(v *visit, in publish.SignupInput) (publish.SignedUp, error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), firstAnswer)
	defer cancel()
	for {
		out, err := i.accounts.Signup(v.r.Context(), sandlot.Caller{From: v.from()}, in)
		if !errors.Is(err, sandlot.CodeRequestInProgress) || ctx.Err() != nil {
			return out, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(firstAnswer / 100):
		}
	}
}

// firstAnswer is the time for which the second of two equal forms waits: many times that of a signup.
const firstAnswer = 5 * time.Second

// join opens the account and shows its key once. The same form sent twice shows it again.
func (i invitations) join(v *visit) error {
	f := v.r.PostForm
	page := invitePage{Token: linkToken(v), Handle: f.Get("handle"), Email: strings.TrimSpace(f.Get("email"))}
	if n := len(f.Get("form_token")); n == 0 || n > sandlot.MaxFormToken {
		return v.problem(http.StatusBadRequest, "error.form")
	}
	if page.Token == "" { // a signup without one would be open to all where that is permitted
		return invitationOver(v, sandlot.ErrNotFound)
	}
	if page.Email == "" {
		page.Wrong = v.T("login.bad-address")
		return i.showInvite(v, http.StatusUnprocessableEntity, page)
	}
	once := fmt.Sprintf("invitation-%x", sha256.Sum256([]byte(f.Get("form_token"))))
	out, err := i.open(v, publish.SignupInput{
		Handle: page.Handle, Email: page.Email, Lang: v.Lang, Invitation: page.Token, Idempotency: once,
	})
	var refused *sandlot.Error
	switch {
	case errors.Is(err, sandlot.ErrNotFound):
		return invitationOver(v, err)
	case errors.As(err, &refused) && refused.Field == "email":
		page.Wrong = cmp.Or(i.form.refusedWords(v, refused), v.T("login.bad-address"))
		return i.showInvite(v, http.StatusUnprocessableEntity, page)
	case err != nil:
		return err
	}
	page.Done = &out
	return v.show(http.StatusCreated, "invite.html", v.T("invite.done", "handle", out.Account.Handle), page)
}
