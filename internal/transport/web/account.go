package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

// overviews serves the first page of the account, and its forms about accounts that were created with its address and
// never confirmed.
type overviews struct {
	gallery *gallery.Service
	trash   *publish.Trash
	account *account.Service
}

func (o overviews) routes() []route {
	return []route{
		{"GET", "/account", owner, admission.Look, o.page},
		{"POST", "/account/claimed", recent, admission.Look, settle(o.account.TakeOver, "said.taken-over")},
		{"POST", "/account/claimed/no", recent, admission.Look, settle(o.account.Disown, "said.disowned")},
	}
}

// page shows the account's projects with their numbers, and the deleted ones.
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
		deleted[i].Cover = "" // its pictures are sent to nobody until it is recovered
	}
	claimed, err := o.account.Claimants(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "account.html", v.T("account.title"), overviewPage{claimed, list, next, deleted, older})
}

// overviewPage holds the data of the account's first page.
type overviewPage struct {
	Claimed  []account.LoginChoice // accounts that were created with the address and never confirmed
	Projects []gallery.OverviewRow
	Next     string
	Deleted  []publish.Trashed // those that can be recovered
	Older    string            // the cursor of the next page of them
}

// Unconfirmed reports whether the projects wait for the owner's email to be confirmed.
func (a overviewPage) Unconfirmed() bool {
	return len(a.Projects) > 0 && !a.Projects[0].Project.Verified
}

// MostPlays returns the most plays of any project on one day, the common scale of the sparklines.
func (a overviewPage) MostPlays() (most int64) {
	for _, row := range a.Projects {
		most = max(most, slices.Max(append([]int64{0}, row.Days...)))
	}
	return most
}

// State lists the unusual states of a project, in the visitor's language.
func (v view) State(p sandlot.Project) (list []string) {
	if p.Suspended {
		list = append(list, v.T("account.suspended"))
	} else if p.Held.Rule != sandlot.NotHeld {
		list = append(list, v.T("error.held.title"))
	} else if !p.Verified {
		list = append(list, v.T("account.email-open"))
	}
	if p.Unlisted {
		list = append(list, v.T("own.hidden"))
	}
	return list
}

// At reports whether the current page has this path.
func (v view) At(path string) bool { return v.r.URL.Path == path }

// Below reports whether the current page is below this path.
func (v view) Below(path string) bool { return strings.HasPrefix(v.r.URL.Path, path+"/") }

// settle handles the form of a step about the account of a handle. A form sent twice leads to the same page.
func settle(step func(context.Context, sandlot.Caller, string) error, said string) func(*visit) error {
	return form(maxForm, func(v *visit) error {
		handle := v.r.PostForm.Get("handle")
		err := step(v.r.Context(), v.by, handle)
		if errors.Is(err, sandlot.ErrNotFound) {
			return v.redirect("/account")
		}
		return v.doneIf(err, "/account", said, "handle", handle)
	}, "handle")
}

// sessionPages serves the page of the logins.
type sessionPages struct{ account *account.Service }

func (s sessionPages) routes() []route {
	return []route{
		{"GET", "/account/sessions", owner, admission.Look, s.list},
		{"POST", "/account/sessions", owner, admission.Look, form(maxForm, s.end, "id?", "others?")},
	}
}

// list shows the account's sessions.
func (s sessionPages) list(v *visit) error {
	list, err := s.account.Sessions(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "sessions.html", v.T("sessions.title"), list)
}

// end logs one browser out, or all but this one. A session that is already over is no error: the button was pressed
// twice.
func (s sessionPages) end(v *visit) error {
	if v.r.PostForm.Get("others") != "" {
		return v.doneIf(s.account.EndOtherSessions(v.r.Context(), v.by), "/account/sessions", "said.others-out")
	}
	id, err := strconv.ParseInt(v.r.PostForm.Get("id"), 10, 64)
	if err != nil {
		return sandlot.ErrNotFound
	}
	if err := s.account.EndSession(v.r.Context(), v.by, id); err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return err
	}
	return v.done("/account/sessions", "said.browser-out")
}

// agents maps parts of a User-Agent header to the common names of browsers. The first match counts: most browsers also
// name others, for compatibility.
var agents = [][2]string{
	{"Edg", "Edge"},
	{"OPR/", "Opera"},
	{"SamsungBrowser/", "Samsung Internet"},
	{"Firefox/", "Firefox"},
	{"FxiOS/", "Firefox"},
	{"CriOS/", "Chrome"},
	{"Chrome/", "Chrome"},
	{"Safari/", "Safari"},
}

// systems does the same for operating systems.
var systems = [][2]string{
	{"iPhone", "iPhone"},
	{"iPad", "iPad"},
	{"Android", "Android"},
	{"CrOS", "ChromeOS"},
	{"Windows", "Windows"},
	{"Macintosh", "Mac"},
	{"Linux", "Linux"},
}

// Browser returns the common names of the browser and system with this User-Agent header.
func (v view) Browser(agent string) string {
	name, system := called(agents, agent), called(systems, agent)
	if name != "" && system != "" {
		return name + " · " + system
	}
	return cmp.Or(name, system, v.T("sessions.browser"))
}

func called(list [][2]string, agent string) string {
	for _, one := range list {
		if strings.Contains(agent, one[0]) {
			return one[1]
		}
	}
	return ""
}

// The dimensions of a sparkline, in its own units.
const (
	sparkHeight = 32
	sparkStep   = 4 // from bar to bar
	sparkBar    = 3 // the width of a bar
)

// Spark returns the SVG path of the bars for numbers, on a scale that ends at most. A day with any plays has a visible
// bar, a day without leaves a gap.
func (overviewPage) Spark(numbers []int64, most int64) string {
	var d strings.Builder
	for i, n := range numbers {
		if n > 0 {
			height := max(2, float64(n)/float64(max(most, n))*sparkHeight)
			fmt.Fprintf(&d, "M%d %dv%.4gh%dV%dz", i*sparkStep, sparkHeight, -height, sparkBar, sparkHeight)
		}
	}
	return d.String()
}

// SparkBox returns the view box of a sparkline of these numbers.
func (overviewPage) SparkBox(numbers []int64) string {
	return fmt.Sprintf("0 0 %d %d", max(1, len(numbers)*sparkStep), sparkHeight)
}

// Sum returns the sum of numbers.
func (overviewPage) Sum(numbers []int64) (sum int64) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}
