package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
)

// sessionLists is what the page of the logins asks of the domain, on behalf of the caller
// whose account it is.
type sessionLists interface {
	Sessions(ctx context.Context, by sandlot.Caller) ([]sandlot.Session, error)
	EndSession(ctx context.Context, by sandlot.Caller, id int64) error
	// EndOtherSessions ends all of the account's sessions but the caller's own.
	EndOtherSessions(ctx context.Context, by sandlot.Caller) error
}

// sessionPages are the page of the logins.
type sessionPages struct{ account sessionLists }

func (s sessionPages) routes() []route {
	return []route{
		{"GET", "/account/sessions", owner, admission.Look, s.list},
		{"POST", "/account/sessions", owner, admission.Look, form(maxForm, s.end, "id?", "others?")},
	}
}

// list shows where the account is logged in.
func (s sessionPages) list(v *visit) error {
	list, err := s.account.Sessions(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "sessions.html", v.T("sessions.title"), list)
}

// end logs one browser out, or all but this one. A session that is over
// already is as it should be: the button was pressed twice.
func (s sessionPages) end(v *visit) error {
	if v.r.PostForm.Get("others") != "" {
		if err := s.account.EndOtherSessions(v.r.Context(), v.by); err != nil {
			return err
		}
		return v.done("/account/sessions", "said.others-out")
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

// agents are parts of what browsers say they are, and what people call them. The
// first that fits counts: most also name others, to be taken for them.
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

// systems are the same for what a browser runs on.
var systems = [][2]string{
	{"iPhone", "iPhone"},
	{"iPad", "iPad"},
	{"Android", "Android"},
	{"CrOS", "ChromeOS"},
	{"Windows", "Windows"},
	{"Macintosh", "Mac"},
	{"Linux", "Linux"},
}

// Browser is what people call the browser that says this of itself.
func (v view) Browser(agent string) string {
	name, system := called(agents, agent), called(systems, agent)
	switch {
	case name == "" && system == "":
		return v.T("sessions.browser")
	case name == "" || system == "":
		return name + system
	}
	return name + " · " + system
}

func called(list [][2]string, agent string) string {
	for _, one := range list {
		if strings.Contains(agent, one[0]) {
			return one[1]
		}
	}
	return ""
}
