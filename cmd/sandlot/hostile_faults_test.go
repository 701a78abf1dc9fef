package main

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A fault is one defence that the proxy takes away, as an operator's proxy or a change of the service might.
type fault struct {
	request  func(*http.Request)              // of what the browser asks
	response func(http.Header, *http.Request) // of what the service answers
	bodyType string                           // of the answers that body is for
	body     func([]byte) []byte
	cookie   func(string) string // of the line that logs in
	session  string              // another name for the login's cookie
}

// without drops a header of every answer.
func without(name string) fault {
	return fault{response: func(h http.Header, _ *http.Request) { h.Del(name) }}
}

// policyWithout drops directives from every Content-Security-Policy.
func policyWithout(directives ...string) fault {
	return fault{response: func(h http.Header, _ *http.Request) {
		kept := slices.DeleteFunc(strings.Split(h.Get("Content-Security-Policy"), "; "), func(d string) bool {
			return slices.Contains(directives, strings.Fields(d + " -")[0])
		})
		h.Set("Content-Security-Policy", strings.Join(kept, "; "))
	}}
}

// pageWith changes what an expression finds in every page of the site.
func pageWith(expression, instead string) fault {
	found := regexp.MustCompile(expression)
	return fault{bodyType: "text/html", body: func(b []byte) []byte { return found.ReplaceAll(b, []byte(instead)) }}
}

// asked changes a header of what the browser asks for; an empty value drops it.
func asked(name, value string) fault {
	return fault{request: func(r *http.Request) {
		if value == "" {
			r.Header.Del(name)
		} else if r.Header.Get(name) != "" {
			r.Header.Set(name, value)
		}
	}}
}

// cookieWithout drops an attribute of the login's cookie.
func cookieWithout(attribute, instead string) fault {
	return fault{cookie: func(line string) string { return strings.Replace(line, "; "+attribute, instead, 1) }}
}

var (
	noSandboxAttribute = pageWith(` sandbox="[^"]*"`, "")
	noSandboxPolicy    = policyWithout("sandbox")
	noAncestors        = policyWithout("frame-ancestors")
	noScriptPolicy     = policyWithout("script-src", "default-src")
	noOpenerPolicy     = without("Cross-Origin-Opener-Policy")
	noResourcePolicy   = without("Cross-Origin-Resource-Policy")
	noSniff            = without("X-Content-Type-Options")
	noFetchMetadata    = asked("Sec-Fetch-Site", "")
	noOrigin           = asked("Origin", "")
	noWorkerHeader     = asked("Service-Worker", "")
	noHTTPOnly         = cookieWithout("HttpOnly", "")
	noSameSite         = cookieWithout("SameSite=Lax", "; SameSite=None")
	relOpener          = pageWith(`rel="noopener"`, `rel="opener"`)
	noQuarantine       = policyWithout("default-src", "connect-src", "form-action", "sandbox")
	noAllowlist        = without("Connection-Allowlist")
	plainCookie        = fault{session: "session", cookie: func(line string) string { return strings.TrimPrefix(line, "__Host-") }}
	// Access to the account for scripts of every origin, as proxies are often set up.
	sharedAccount = fault{response: func(h http.Header, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" {
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Allow-Credentials", "true")
		}
	}}
	// A page that believes what its frame says.
	credulous = fault{bodyType: "text/javascript", body: func(b []byte) []byte {
		return append(b, "\naddEventListener('message', (e) => document.dispatchEvent(new CustomEvent(e.data)));\n"...)
	}}
)

// A defence is what keeps attempts out in one mode and place.
type defence struct {
	name     string
	mode     string
	place    string
	attempts []string // that succeed without it
	faults   []fault
	// Where several overlap: what still keeps all of them out.
	enough [][]fault
}

var (
	fromHere  = []fault{noFetchMetadata, noOrigin}
	sandboxes = []fault{noSandboxAttribute, noSandboxPolicy}
)

var defences = []defence{
	{"the frame's sandbox attribute", "local", inFrame, []string{"navigates the window"}, []fault{noSandboxAttribute}, nil},
	{"the frame's sandbox attribute, in the history", "local", inFrame, []string{"sends the window back"}, []fault{noSandboxAttribute}, nil},
	{"deafness of the page", "local", inFrame, []string{"forges play messages"}, []fault{credulous}, nil},
	{"the origin's check, in the frame", "local", inFrame, []string{"likes"}, fromHere, nil},
	{"the origin's check", "local", inTab, []string{"likes"}, fromHere, [][]fault{{noOrigin}, {noFetchMetadata}}},
	{"frame-ancestors", "local", inTab, []string{"frames the account"}, []fault{noAncestors}, nil},
	{"Cross-Origin-Opener-Policy", "local", inTab, []string{"holds a window of the account"}, []fault{noOpenerPolicy}, nil},
	{"Cross-Origin-Resource-Policy", "local", inTab, []string{"loads the account as a resource"}, []fault{noResourcePolicy}, nil},
	{"nosniff", "local", inTab, []string{"runs a text as a script"}, []fault{noSniff}, nil},
	{"the policy on scripts", "local", inPage, []string{"loads its script into a page"}, []fault{noScriptPolicy}, nil},
	{"the policy on frames", "local", inPage, []string{"leads its frame elsewhere"}, []fault{policyWithout("frame-src", "default-src")}, nil},
	{"rel=noopener and the opener's policy", "local", fromTab, []string{"reaches the opener"}, []fault{relOpener, noOpenerPolicy}, [][]fault{{relOpener}, {noOpenerPolicy}}},
	{"the path form's sandbox", "local", inPath, []string{"reaches another's storage"}, []fault{noSandboxPolicy}, nil},
	{"the path form's sandbox and refusal of workers", "local", inPath, []string{"registers a service worker"}, []fault{noSandboxPolicy, noWorkerHeader}, [][]fault{{noSandboxPolicy}, {noWorkerHeader}}},

	{"SameSite and the origin's check", "A", inTab, []string{"renames the account"}, append([]fault{noSameSite}, fromHere...), [][]fault{{noSameSite}, fromHere}},
	{"quarantine", "quarantine", inTab, []string{"sends something elsewhere"}, []fault{noQuarantine, noAllowlist}, [][]fault{{noQuarantine}, {noAllowlist}}},

	{"the origin's check", "B", inTab, []string{"renames the account"}, fromHere, nil},
	{"the cookie's prefix", "B", inTab, []string{"sets a cookie"}, []fault{plainCookie}, nil},
	{"silence on who may read", "B", inTab, []string{"reads the account"}, []fault{sharedAccount}, nil},

	{"both sandboxes", "C", inFrame, withinOne, sandboxes, [][]fault{{noSandboxAttribute}, {noSandboxPolicy}}},
	{"both sandboxes and HttpOnly", "C", inFrame, []string{"reads the cookies"}, append([]fault{noHTTPOnly}, sandboxes...), [][]fault{sandboxes}},
	{"the sandbox and refusal of workers", "C", inTab, []string{"registers a service worker"}, append([]fault{noWorkerHeader}, sandboxes...), [][]fault{sandboxes}},
}

// withinOne is what stands open where the project has the page's own origin.
var withinOne = []string{"reads the page", "sets a cookie", "reaches another's storage", "renames the account", "opens a dialog of the page", "navigates the window"}

// expectDefence meets a project that gets hold of all of it without the defence, and of nothing while a part of it stands.
func (g *ground) expectDefence(t *testing.T, browser context.Context, d defence) {
	t.Helper()
	for _, faults := range d.enough {
		g.expectNothing(t, browser, d.place, d.attempts, faults...)
	}
	r := g.meet(t, browser, d.place, d.attempts, 20*time.Second, d.faults)
	for _, name := range d.attempts {
		if r.said[name] == "" {
			t.Errorf("it never %s: this test would not see the defence go", name)
		}
	}
}
