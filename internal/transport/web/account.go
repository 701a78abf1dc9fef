package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

// overviewRows is what the first page of the account asks of the domain.
type overviewRows interface {
	// Overview returns a page of the caller's projects with their plays by day, newest change first, and the cursor of the next page, if there is one.
	Overview(ctx context.Context, by sandlot.Caller, cursor string) (list []gallery.OverviewRow, next string, err error)
}

// overviews are the first page of the account, and its forms about what was published with one's address and never confirmed.
type overviews struct {
	gallery overviewRows
	trash   Trash
	account claimants
}

func (o overviews) routes() []route {
	return []route{
		{"GET", "/account", owner, admission.Look, o.page},
		{"POST", "/account/claimed", recent, admission.Look, form(maxForm, o.takeOver, "handle")},
		{"POST", "/account/claimed/no", recent, admission.Look, form(maxForm, o.disown, "handle")},
	}
}

// page shows the account's projects with their numbers, and those that were deleted.
func (o overviews) page(v *visit) error {
	list, next, err := o.gallery.Overview(v.r.Context(), v.by, v.r.URL.Query().Get("after"))
	if err != nil {
		return err
	}
	v.grant.Work(len(list))
	deleted, older, err := o.trash.List(v.r.Context(), v.by, publish.TrashPage{Cursor: v.r.URL.Query().Get("deleted")})
	if err != nil {
		return err
	}
	for i := range deleted {
		deleted[i].Cover = "" // its pictures are sent to nobody until it is taken back
	}
	claimed, err := o.account.Claimants(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "account.html", v.T("account.title"), overviewPage{Claimed: claimed, Projects: list, Next: next, Deleted: deleted, Older: older})
}

// overviewPage is what the first page of the account shows.
type overviewPage struct {
	Claimed  []account.LoginChoice // accounts that the address was given for, and never confirmed
	Projects []gallery.OverviewRow
	Next     string
	Deleted  []publish.Trashed // those that can be taken back
	Older    string            // where the next page of them begins
}

// Unconfirmed tells whether what is published is kept apart until the owner's email is confirmed.
func (a overviewPage) Unconfirmed() bool {
	return len(a.Projects) > 0 && !a.Projects[0].Project.Verified
}

// MostPlays is the most on one day of any of the projects, by which their sparklines can be compared.
func (a overviewPage) MostPlays() (most int64) {
	for _, row := range a.Projects {
		most = max(most, slices.Max(append([]int64{0}, row.Days...)))
	}
	return most
}

// State is what is out of the ordinary about a project, in the visitor's language.
func (v view) State(p sandlot.Project) (list []string) {
	if p.Suspended {
		list = append(list, v.T("account.suspended"))
	} else if !p.Verified {
		list = append(list, v.T("account.email-open"))
	}
	if p.Unlisted {
		list = append(list, v.T("own.hidden"))
	}
	return list
}

// At reports whether the page shown is the one of this path.
func (v view) At(path string) bool { return v.r.URL.Path == path }

// Below reports whether the page shown is one of those below this path.
func (v view) Below(path string) bool { return strings.HasPrefix(v.r.URL.Path, path+"/") }
