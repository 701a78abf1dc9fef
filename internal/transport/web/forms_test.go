package web

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// A sentForm is a form of the route table as a browser sends it.
type sentForm struct {
	// fields fills it in, and brings the world to where it can be sent.
	fields func(*world) url.Values
	status int // of the answer
	again  int // of the answer to the same form once more
	// takes are the fields that may hold what is bad in others, and what: it has to be made harmless.
	takes map[string]string
	// theirs puts another account's id into the form.
	theirs func(w *world, f url.Values)
	unseen bool // whether another account's id is answered like one that is gone already
	files  bool // whether it is sent in parts
	tries  bool // whether what is wrong is counted
}

// anyText is all that a text for people may hold.
const anyText = "empty long control html override words negative huge"

// forms are all of the route table.
var forms = map[string]sentForm{
	"/verify": {
		fields: func(w *world) url.Values {
			must(w.service.Signup(w.t.Context(), sandlot.Caller{}, publish.SignupInput{Email: "new@example.com"}))(w.t)
			return url.Values{"token": {w.token("/verify")}}
		}, status: 200, again: 410,
	},
	connectPath: {
		fields: func(w *world) url.Values { return url.Values{"code": {w.connectCode()}} }, status: 200, again: 200,
	},
	connectPath + "/login": {
		fields: func(w *world) url.Values {
			w.browser = cookie(w.t, request(w, "GET", "/login", ""), loginCookie).Value
			return url.Values{"code": {w.connectCode()}, "email": {"new@mail.internal"}}
		}, status: 303, again: 303,
	},
	connectPath + "/device": {
		fields: func(w *world) url.Values {
			code := w.device("").UserCode
			asked := must(w.cfg.OAuth.DeviceConsent(w.t.Context(), w.owner(w.kim.session), code))(w.t)
			return url.Values{"code": {code}, "form_token": {asked.Form}, "answer": {"allow"}, "reach": {"project"}, "project": {string(w.kim.project)}}
		}, status: 303, again: 410, theirs: func(w *world, f url.Values) { f.Set("project", string(w.lee.project)) },
	},
	connectPath + "/take": {
		fields: func(w *world) url.Values { return url.Values{"code": {w.connectCode()}} }, status: 303, again: 410,
	},
	invitationsPath: {
		fields: func(w *world) url.Values {
			w.in.Exec("UPDATE accounts SET role = 'operator' WHERE handle = 'kim'")
			return url.Values{"form_token": {"one"}, "days": {"7"}, "projects": {"3"}}
		}, status: 200, again: 200, takes: map[string]string{"form_token": "control html override words negative huge", "projects": "empty"},
	},
	invitationsPath + "/end": {
		fields: func(w *world) url.Values {
			w.in.Exec("UPDATE accounts SET role = 'operator' WHERE handle = 'kim'")
			w.invited()
			return url.Values{"id": {"1"}}
		}, status: 303, again: 303,
	},
	invitePath: {
		fields: func(w *world) url.Values {
			w.invited()
			return url.Values{"token": {lookedToken}, "form_token": {"one"}, "handle": {"max"}, "email": {"max@mail.internal"}}
		}, status: 201, again: 201, takes: map[string]string{"handle": anyText, "form_token": "control html override words negative huge"},
	},
	"/verify/no": {
		fields: func(w *world) url.Values {
			must(w.service.Signup(w.t.Context(), sandlot.Caller{}, publish.SignupInput{Email: "new@example.com"}))(w.t)
			return url.Values{"token": {w.token("/verify")}}
		}, status: 200, again: 410,
	},
	"/not-me": {
		fields: func(w *world) url.Values { return url.Values{"token": {w.notMe()}} }, status: 200, again: 200,
	},
	"/not-me/undo": {
		fields: func(w *world) url.Values {
			token := w.notMe()
			must(w.account.StopMail(w.t.Context(), sandlot.Caller{}, token))(w.t)
			return url.Values{"token": {token}}
		}, status: 200, again: 200,
	},
	"/login": {
		fields: func(w *world) url.Values {
			w.browser = cookie(w.t, request(w, "GET", "/login", ""), loginCookie).Value
			return url.Values{"email": {"kim@mail.internal"}, "to": {"/account/keys"}}
		},
		status: 303, again: 303, takes: map[string]string{"to": anyText + " missing"},
	},
	"/login/code": {
		fields: func(w *world) url.Values {
			w.account.Logins.Uncounted = true
			w.login()
			return url.Values{"code": {w.in.Mails[len(w.in.Mails)-1].Code}}
		}, status: 303, again: 410, tries: true,
	},
	"/login/link": {
		fields: func(w *world) url.Values { return url.Values{"token": {w.login()}} },
		status: 303, again: 410,
	},
	"/login/choose": {
		fields: func(w *world) url.Values {
			expect.OK(w.t, w.account.Logins.UseLoginLink(w.t.Context(), sandlot.Caller{}, w.browser, w.login()))
			return url.Values{"handle": {w.kim.account.Handle}}
		}, status: 303, again: 410, theirs: func(w *world, f url.Values) { f.Set("handle", w.lee.account.Handle) },
	},
	"/logout": {fields: noFields, status: 303, again: 303},
	"/choices": {
		fields: func(*world) url.Values { return url.Values{"theme": {"dark"}, "lang": {"ja"}} }, status: 303, again: 303,
		takes: map[string]string{"theme": anyText + " missing", "lang": anyText + " missing"},
	},
	"/report": {
		fields: func(w *world) url.Values {
			return url.Values{"project": {string(w.lee.project)}, "reason": {"other"}, "details": {"It is bad."}, "contact": {"me@example.com"}, "form_token": {"word"}}
		}, status: 200, again: 200,
		takes: map[string]string{"details": anyText + " missing", "contact": "empty missing", "form_token": "control html override words negative huge"},
	},
	"/account/sessions": {
		fields: func(w *world) url.Values { return url.Values{"id": {fmt.Sprint(w.kim.other)}} },
		status: 303, again: 303, unseen: true, takes: map[string]string{"id": "negative"},
		theirs: func(w *world, f url.Values) { f.Set("id", fmt.Sprint(w.lee.other)) },
	},
	"/account/claimed": {
		fields: func(w *world) url.Values { return url.Values{"handle": {w.claimant()}} }, status: 303, again: 303, takes: map[string]string{"handle": anyText},
	},
	"/account/claimed/no": {
		fields: func(w *world) url.Values { return url.Values{"handle": {w.claimant()}} }, status: 303, again: 303, takes: map[string]string{"handle": anyText},
	},
	"/p/{id}/like": {
		fields: func(w *world) url.Values {
			visitor, err := w.gallery.MintPlayerToken(w.t.Context(), sandlot.Caller{})
			if err != nil {
				panic(err)
			}
			return url.Values{"like": {"1"}, "visitor": {visitor}}
		},
		status: 303, again: 303, takes: map[string]string{"visitor": anyText + " missing"},
	},
	"/account/settings/handle": {
		fields: func(*world) url.Values { return url.Values{"handle": {"new-name"}} }, status: 303, again: 303,
		takes: map[string]string{"handle": "long control html override words negative huge"},
	},
	"/account/settings/profile": {
		fields: func(*world) url.Values { return url.Values{"line": {"Small games."}, "link": {"https://example.com/"}} }, status: 303, again: 303,
		takes: map[string]string{"line": "empty control html override words negative huge", "link": "empty"},
	},
	"/account/settings/portrait/remove": {fields: noFields, status: 303, again: 303},
	"/account/projects/{id}/cover/choose": {
		fields: func(*world) url.Values { return url.Values{"wish": {"none"}} }, status: 303, again: 303,
	},
	"/account/settings/language": {
		fields: func(*world) url.Values { return url.Values{"lang": {"ja"}} }, status: 303, again: 303,
		takes: map[string]string{"lang": anyText},
	},
	"/account/settings/email": {
		fields: func(*world) url.Values { return url.Values{"email": {"other@example.com"}} }, status: 303, again: 303,
	},
	"/account/settings/email/withdraw": {
		fields: func(w *world) url.Values {
			w.propose()
			return url.Values{}
		}, status: 303, again: 303,
	},
	"/account/email": {
		fields: func(w *world) url.Values { return url.Values{"token": {w.propose()}} }, status: 200, again: 410,
	},
	"/account/undo": {
		fields: func(w *world) url.Values {
			must(w.account.TakeEmail(w.t.Context(), sandlot.Caller{}, w.propose()))(w.t)
			return url.Values{"token": {w.token("/account/undo")}}
		}, status: 200, again: 410,
	},
	"/account/delete": {
		fields: func(w *world) url.Values { return url.Values{"handle": {w.kim.account.Handle}} }, status: 200, again: 303,
		theirs: func(w *world, f url.Values) { f.Set("handle", w.lee.account.Handle) },
	},
	"/account/keys": {
		fields: func(w *world) url.Values {
			return url.Values{"project": {string(w.kim.project)}, "name": {"agent"}, "form_token": {"word"}}
		}, status: 200, again: 200,
		takes:  map[string]string{"name": "control html override words negative huge", "form_token": "control html override words negative huge"},
		theirs: func(w *world, f url.Values) { f.Set("project", string(w.lee.project)) },
	},
	"/account/keys/revoke": {
		fields: func(w *world) url.Values { return url.Values{"id": {fmt.Sprint(w.kim.key)}} }, status: 303, again: 303,
		theirs: func(w *world, f url.Values) { f.Set("id", fmt.Sprint(w.lee.key)) },
	},
	"/account/keys/replace": {
		fields: func(*world) url.Values { return url.Values{"form_token": {"word"}} }, status: 200, again: 200,
		takes: map[string]string{"form_token": "control html override words negative huge"},
	},
	"/account/keys/rotate": {
		fields: func(*world) url.Values { return url.Values{"form_token": {"word"}} }, status: 200, again: 200,
		takes: map[string]string{"form_token": "control html override words negative huge"},
	},
	"/account/projects/{id}": {
		fields: func(*world) url.Values {
			return url.Values{"title": {"Title"}, "description": {"About"}, "tags": {"cats"}, "listed": {"1"}, "threads": {"1"}}
		}, status: 303, again: 303,
		takes: map[string]string{"title": anyText, "description": "empty control html override words negative huge", "tags": "empty words huge missing", "listed": anyText + " missing", "threads": anyText + " missing"},
	},
	"/account/projects/{id}/delete": {
		fields: func(w *world) url.Values { return url.Values{"typed": {string(w.kim.project)}} }, status: 303, again: 303,
		theirs: func(w *world, f url.Values) { f.Set("typed", string(w.lee.project)) },
	},
	"/account/projects/{id}/take-back": {fields: noFields, status: 303, again: 303},
	"/account/projects/{id}/purge":     {fields: noFields, status: 404, again: 404}, // it is not deleted
	"/account/projects/{id}/files": {
		fields: func(*world) url.Values {
			return url.Values{"form_token": {"word"}, "folder": {"lib"}, "files": {"b.js"}}
		}, status: 303, again: 303, files: true,
		takes: map[string]string{"form_token": "control html override words negative huge", "folder": "empty missing words negative huge", "files": "words negative huge"},
	},
	"/account/projects/{id}/move": {
		fields: func(*world) url.Values { return url.Values{"file": {"a.js"}, "to": {"b.js"}, "form_token": {"word"}} }, status: 303, again: 303,
		takes: map[string]string{"to": "words negative huge", "form_token": "control html override words negative huge"},
	},
	"/account/projects/{id}/remove": {
		fields: func(*world) url.Values { return url.Values{"file": {"a.js"}, "form_token": {"word"}} }, status: 303, again: 303,
		takes: map[string]string{"file": "words negative huge twice", "form_token": "control html override words negative huge"}, // not there, as it should be
	},
	"/account/projects/{id}/primary": {
		fields: func(*world) url.Values { return url.Values{"file": {"a.js"}, "form_token": {"word"}} }, status: 303, again: 303,
		takes: map[string]string{"form_token": "control html override words negative huge"},
	},
	"/account/projects/{id}/restore": {
		fields: func(*world) url.Values { return url.Values{"n": {"1"}, "form_token": {"word"}} }, status: 303, again: 303,
		takes: map[string]string{"form_token": "control html override words negative huge"},
	},
	"/account/projects/{id}/runtime": {
		fields: func(*world) url.Values { return url.Values{"runtime": {"read"}} }, status: 303, again: 303,
	},
	"/account/projects/{id}/messages/delete": {
		fields: func(w *world) url.Values {
			w.toldTo(w.lee.project, "Hello")
			return url.Values{"message": {w.toldTo(w.kim.project, "Well done")}}
		}, status: 303, again: 303, takes: map[string]string{"message": "negative"}, unseen: true,
		theirs: func(w *world, f url.Values) {
			f.Set("message", w.in.Query("SELECT id FROM feedback WHERE text = 'Hello'")[0])
		},
	},
	"/account/projects/{id}/boards/{board}": {
		fields: func(w *world) url.Values {
			w.brings("main")
			return url.Values{"min": {"0"}, "max": {"1e6"}, "min_seconds": {"5"}}
		}, status: 303, again: 303,
		takes: map[string]string{"min": "empty negative", "max": "empty huge"},
	},
	"/account/projects/{id}/boards/{board}/remove": {
		fields: func(w *world) url.Values {
			w.brings("main")
			return url.Values{"player": {brought[0].Player}}
		}, status: 303, again: 303, takes: map[string]string{"player": anyText},
	},
	"/account/projects/{id}/boards/{board}/refuse": {
		fields: func(w *world) url.Values {
			w.brings("main")
			return url.Values{"player": {brought[0].Player}}
		}, status: 303, again: 303,
	},
	"/account/projects/{id}/boards/{board}/delete": {
		fields: func(w *world) url.Values {
			w.brings("main")
			return url.Values{}
		}, status: 303, again: 404,
	},
	"/account/projects/{id}/erase": {
		fields: func(*world) url.Values { return url.Values{"n": {"2"}} }, status: 303, again: 303,
	},
}

// notForms are requests of scripts of ours, or to an address with a query, with a test of their own.
var notForms = map[string]string{
	authorizePath: "TestAFormApprovesOnlyWhatItsPageAsked",
	"/desk":       "TestABadDecisionChangesNothing", "/desk/undo": "TestADecisionIsMadeOnceAndUndone",
	"/desk/{id}/page": "TestThePageIsFramedAfterAPressOnItsOwnOriginAlone", "/desk/{id}/note": "TestANoteIsForModerators", "/object": "TestAnObjectionIsMadeOnceWithoutALogin",
	"/p/{id}/heartbeat": "TestHeartbeatsAreCounted", "/p/{id}/message": "TestAMessageReachesTheCreator",
	"/account/projects/{id}/boards/{board}/reset": "TestAnOwnerKeepsABoardInOrder", "/mine/cards": "TestCardsAreGivenForWhatABrowserRemembers",
	"/new": "TestWhatAFormMayNotPublishIsSaidOnItsPage", "/new/examples": "TestRegressionM39AnEmptyInstanceOffersItsExamples", "/account/projects/{id}/cover": "TestAnOwnerUploadsACoverThatEverybodySees", "/account/settings/portrait": "TestAnOwnerUploadsACoverThatEverybodySees",
}

func noFields(*world) url.Values { return url.Values{} }

// login asks for a login, and returns the token of its message.
func (w *world) login() string {
	w.t.Helper()
	w.later(time.Minute) // a form that is sent again at once asks for nothing
	w.browser = must(w.account.Logins.AskLogin(w.t.Context(), sandlot.Caller{}, account.LoginInput{Email: "kim@mail.internal", Browser: w.browser, Back: "/account/keys"}))(w.t)
	return w.token("/login/link")
}

// claimant publishes with kim's address, and returns the handle of the account that it makes.
func (w *world) claimant() string {
	w.t.Helper()
	out, _, err := w.service.Publish(w.t.Context(), sandlot.Caller{}, publish.PublishInput{Email: "kim@mail.internal", Title: "Kite", Content: w.stage("<!doctype html><p>")})
	expect.OK(w.t, err)
	return out.Account.Handle
}

// notMe claims kim's address for a new account, and returns the token for those who did not ask for that message.
func (w *world) notMe() string {
	w.t.Helper()
	must(w.service.Signup(w.t.Context(), sandlot.Caller{}, publish.SignupInput{Email: "kim@mail.internal"}))(w.t)
	w.token("/verify")
	return must(url.Parse(w.in.Mails[len(w.in.Mails)-1].NotMe))(w.t).Query().Get("token")
}

// propose proposes another address for kim's account, and returns the token of its message.
func (w *world) propose() string {
	w.t.Helper()
	expect.OK(w.t, w.account.ProposeEmail(w.t.Context(), w.owner(w.kim.session), "other@example.com", "en"))
	return w.token("/account/email")
}

// bad is what a field can hold instead of what is good.
var bad = map[string]func(good string) []string{
	"missing":  func(string) []string { return nil },
	"twice":    func(good string) []string { return []string{good, good} },
	"empty":    func(string) []string { return []string{""} },
	"oversize": func(string) []string { return []string{strings.Repeat("x", 128<<10)} },
	"long":     func(string) []string { return []string{strings.Repeat("x", 3000)} },
	"control":  func(good string) []string { return []string{good + "\x1b[31m\x01\r\nBcc: x"} },
	"html":     func(string) []string { return []string{`"><script>alert(1)</script>`} },
	"override": func(good string) []string { return []string{"\u202e" + good + "\u2066"} },
	"utf8":     func(good string) []string { return []string{"\xff\xc0\xaf" + good} },
	"nul":      func(good string) []string { return []string{good + "\x00"} },
	"words":    func(string) []string { return []string{"many"} },
	"negative": func(string) []string { return []string{"-1"} },
	"huge":     func(string) []string { return []string{"99999999999999999999"} },
}

func (c sentForm) taken(field, kind string) bool {
	return slices.Contains(strings.Fields(c.takes[field]), kind)
}

// submit sends a form in the way of its kind.
func (c sentForm) submit(w *world, path string, f url.Values) *http.Response {
	if c.files {
		body, kind := multi(f)
		return w.post(path, body, kind)
	}
	return w.send(path, f)
}

func TestEveryFormIsInTheTable(t *testing.T) {
	t.Parallel()
	known := maps.Clone(notForms)
	for path := range forms {
		known[path] = ""
	}
	for _, r := range house(t).routes {
		if r.method == "GET" {
			continue
		}
		if _, ok := known[r.path]; !ok {
			t.Errorf("%s %s is in no table", r.method, r.path)
		}
		delete(known, r.path)
	}
	for path := range known {
		t.Errorf("%s is in a table, and no route", path)
	}
}

// eachForm runs a test of each form of the table.
func eachForm(t *testing.T, test func(t *testing.T, c sentForm, path string, fresh func(*testing.T) *world)) {
	fresh := copies(t)
	for path, c := range forms {
		t.Run(strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", " "), func(t *testing.T) {
			t.Parallel() // most of the time they wait for the disk
			test(t, c, path, fresh)
		})
	}
}

func (w *world) path(pattern string) string {
	return strings.NewReplacer("{id}", string(w.kim.project), "{board}", "main").Replace(pattern)
}

// refused checks that an answer is a page which says what is wrong, and that nothing has changed.
func (w *world) refused(t *testing.T, what string, resp *http.Response, before string) {
	t.Helper()
	body := text(t, resp)
	switch resp.StatusCode {
	case 400, 404, 410, 413, 415, 422:
	default:
		t.Errorf("%s: %d to %q", what, resp.StatusCode, resp.Header.Get("Location"))
	}
	if strings.Contains(body, "<script>alert") || !strings.Contains(body, "<h1") {
		t.Errorf("%s: the page is no page, or harmful", what)
	}
	if before != "" && before != w.written() {
		t.Fatalf("%s changed something", what)
	}
}

func TestFormsRefuseWhatIsBadAndLoseNothing(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, c sentForm, path string, fresh func(*testing.T) *world) {
		w := fresh(t)
		good := c.fields(w)
		before := w.written()
		for field := range good {
			for kind, values := range bad {
				if c.taken(field, kind) {
					continue
				}
				if c.tries {
					w.later(2 * time.Hour) // messages to one address are few
					good, before = c.fields(w), ""
				}
				f := maps.Clone(good)
				f[field] = values(good.Get(field))
				w.refused(t, field+" "+kind, c.submit(w, w.path(path), f), before)
			}
		}
		for _, kind := range []string{"application/json", "text/plain", "multipart/form-data; boundary=x", "multipart/form-data"} {
			w.refused(t, kind, w.post(w.path(path), strings.NewReader(good.Encode()), kind), before)
		}
		w.refused(t, "an escape that is none", w.post(w.path(path), strings.NewReader("%zz&"+good.Encode()), urlencoded), before)
		w.refused(t, "a body without end", w.post(w.path(path), io.LimitReader(endless{}, 128<<10), urlencoded), before)
		if c.theirs != nil {
			f := maps.Clone(good)
			c.theirs(w, f)
			if resp := c.submit(w, w.path(path), f); c.unseen {
				if resp.StatusCode != c.status || w.written() != before {
					t.Errorf("another account's: %d, or it changed something", resp.StatusCode)
				}
			} else {
				w.refused(t, "another account's", resp, before)
			}
		}
		if strings.HasPrefix(path, "/account/projects/{id}") {
			resp := c.submit(w, strings.NewReplacer("{id}", string(w.lee.project), "{board}", "main").Replace(path), good)
			w.refused(t, "another account's project", resp, before)
			expect.Equal(t, "another account's project", resp.StatusCode, http.StatusNotFound)
		}
		if c.tries {
			w.later(2 * time.Hour)
			good = c.fields(w)
		}
		if resp := c.submit(w, w.path(path), good); resp.StatusCode != c.status {
			t.Errorf("the form itself: %d to %q", resp.StatusCode, resp.Header.Get("Location"))
		}
	})
}

// endless is a form that goes on.
type endless struct{}

// Read implements io.Reader.
func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestWhatFormsTakeIsHarmlessWhereItIsShown(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, c sentForm, path string, fresh func(*testing.T) *world) {
		for kind, values := range bad {
			taking := slices.DeleteFunc(slices.Collect(maps.Keys(c.takes)), func(field string) bool { return !c.taken(field, kind) })
			if len(taking) == 0 {
				continue
			}
			w := fresh(t)
			f := c.fields(w)
			for _, field := range taking {
				f[field] = values(f.Get(field))
			}
			resp := c.submit(w, w.path(path), f)
			asked := path == "/account/settings/handle" && resp.StatusCode == http.StatusOK // it is shown as it will be, first
			if resp.StatusCode != c.status && !asked {
				t.Errorf("%s in %s: %d", kind, taking, resp.StatusCode)
			}
			if slices.Contains([]string{"html", "control", "override"}, kind) {
				w.harmless(t, kind)
			}
		}
	})
}

// harmless looks at the pages that show what people wrote.
func (w *world) harmless(t *testing.T, what string) {
	t.Helper()
	own := w.path("/account/projects/{id}")
	for _, path := range []string{"/account", "/account/settings", "/account/keys", "/account/sessions", own, own + "/versions", w.path("/p/{id}")} {
		resp := request(w, "GET", path, "", "Cookie", cookieName+"="+w.kim.session)
		body := text(t, resp)
		if resp.StatusCode != http.StatusOK || strings.Contains(body, "<script>alert") || strings.ContainsAny(body, "\u202e\u2066\x1b\x01\x00") {
			t.Errorf("%s: %s is %d, or shows it", what, path, resp.StatusCode)
		}
	}
}

func TestFormsSentTwiceActOnce(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, c sentForm, path string, fresh func(*testing.T) *world) {
		w := fresh(t)
		form := c.fields(w)
		expect.Equal(t, "once", c.submit(w, w.path(path), form).StatusCode, c.status)
		once := w.kept()
		if resp := c.submit(w, w.path(path), form); resp.StatusCode != c.again {
			t.Errorf("again: %d to %q", resp.StatusCode, resp.Header.Get("Location"))
		}
		expect.Same(t, "what is kept after the second one", sizes(w.kept()), sizes(once))
		w = fresh(t)
		form = c.fields(w)
		var both sync.WaitGroup
		answers := make([]int, 2)
		for i := range answers {
			both.Go(func() { answers[i] = c.submit(w, w.path(path), form).StatusCode })
		}
		both.Wait()
		for i, status := range answers {
			if status != c.again && status != c.status && status != http.StatusNotFound || answers[1-i] != c.status && status != c.status {
				t.Errorf("at once: %d", answers)
			}
		}
		expect.Same(t, "what is kept of two at once", sizes(w.kept()), sizes(once))
	})
}
