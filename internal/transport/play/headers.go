package play

import (
	"net/http"

	"sandlot"
	"sandlot/internal/format/mediatype"
)

// A field is a header field whose value is made once and shared by all responses. That is safe: net/http only reads
// values, and an append to one makes a copy, for its slice has no room to grow.
type field struct {
	name  string
	value []string
}

// always are the fields of every response. Published code is trusted with its own origin and nothing else: browsers do
// not guess its type, run it in no process of other origins, and grant it no device. Permissions-Policy names only
// features that Chromium knows on every system, because it warns about others. Projects may be framed anywhere.
var always = [...]field{
	{"X-Content-Type-Options", []string{"nosniff"}},
	{"Origin-Agent-Cluster", []string{"?1"}},
	{"Cross-Origin-Resource-Policy", []string{"cross-origin"}},
	{"Referrer-Policy", []string{"strict-origin-when-cross-origin"}},
	{"Permissions-Policy", []string{"camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), " +
		"midi=(), display-capture=(), browsing-topics=()"}},
}

const csp = "object-src 'none'; base-uri 'self'"

// quarantined is the policy for projects of accounts with an unverified address, if the operator wants quarantine. A
// self-contained game goes on working, with dialogs and events of forms, while a page that requests passwords cannot
// send them anywhere. A page cannot frame its own address: a proxy in front answers some requests without a policy.
const (
	quarantined = csp + "; default-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' data: blob:; " +
		"connect-src 'self' data: blob:; form-action 'none'; frame-src data: blob:; " +
		"sandbox allow-scripts allow-pointer-lock allow-orientation-lock allow-modals allow-forms"
	quarantinedOrigin = quarantined + " allow-same-origin"
)

var (
	originPolicy = []string{csp}
	// In the path form the sandbox lacks allow-same-origin, in quarantine as well.
	quarantinedOriginPolicy = []string{quarantinedOrigin}
	quarantinedPathPolicy   = []string{quarantined}
	// Without allow-same-origin the page's origin is opaque: it reaches neither cookies nor storage
	// of the website.
	pathPolicy = []string{csp + "; sandbox allow-scripts allow-pointer-lock allow-orientation-lock allow-modals " +
		"allow-forms allow-popups allow-downloads"}
	// A Content-Security-Policy does not cover DNS look-ups, preconnects, WebRTC or the navigations of the tab; this
	// covers them in Chromium.
	ownConnections = []string{"(response-origin);webrtc=block"}
	framePolicy    = []string{framed}
	noReferrer     = []string{"no-referrer"}
	off            = []string{"off"}
	anyOrigin      = []string{"*"}
	exposed        = []string{"Content-Encoding, Content-Range, ETag"}
	noindex        = []string{"noindex"}

	// Browsers require these two before a page may share memory between threads.
	ownGroup  = []string{"same-origin"}
	isolating = []string{"require-corp"}

	revalidate = []string{"no-cache"}
	// A shared cache revalidates after 25 seconds, so that a project that was taken down leaves it.
	immutable = []string{"public, max-age=31536000, immutable, s-maxage=25"}
	never     = []string{"no-store"}

	pageType = []string{"text/html; charset=utf-8"}
	inBytes  = []string{"bytes"}

	varyEncoding = []string{"Accept-Encoding"}
	varyBoth     = []string{"Accept-Encoding, Sec-Fetch-Dest, Upgrade-Insecure-Requests, Accept"}
	varyBrowser  = []string{"Sec-Fetch-Dest, Upgrade-Insecure-Requests, Accept"}

	varyLanguage        = []string{"Accept-Language"}
	varyBrowserLanguage = []string{"Sec-Fetch-Dest, Upgrade-Insecure-Requests, Accept, Accept-Language"}
)

// headers sets the fields of every response of the exchange, with the given Cache-Control, and returns the header for
// further fields.
func (x *exchange) headers(cacheControl []string) http.Header {
	h := x.w.Header()
	for i := range always {
		h[always[i].name] = always[i].value
	}
	h["Content-Security-Policy"] = x.policy()
	if x.quarantined() || x.place == onDesk {
		h["Connection-Allowlist"] = ownConnections
	}
	if x.place == onDesk {
		h["Referrer-Policy"], h["X-Dns-Prefetch-Control"], cacheControl = noReferrer, off, never
	}
	if x.place == onPath || x.place == onDesk {
		// The sandboxed page's own modules and fetches are cross-origin requests.
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = exposed
	}
	if x.project.Threads && x.place != onPath {
		h["Cross-Origin-Opener-Policy"] = ownGroup
		h["Cross-Origin-Embedder-Policy"] = isolating
	}
	if !x.project.Verified {
		h["X-Robots-Tag"] = noindex
	}
	h["Cache-Control"] = cacheControl
	return h
}

// quarantined reports whether the project's pages may contact nothing but their own origin.
func (x *exchange) quarantined() bool { return x.Quarantine && !x.project.Verified }

// policy returns the Content-Security-Policy for the place and the project.
func (x *exchange) policy() []string {
	switch {
	case x.place == onDesk:
		return framePolicy
	case x.place == onPath && x.quarantined():
		return quarantinedPathPolicy
	case x.place == onPath:
		return pathPolicy
	case x.quarantined():
		return quarantinedOriginPolicy
	}
	return originPolicy
}

// fresh returns the Cache-Control of a file. The files of a version never change and may be cached for a year, but in
// quarantine: a browser could make a service worker of a cached script. Nothing keeps those of a held project.
func (x *exchange) fresh() []string {
	if x.project.Held.Rule != sandlot.NotHeld {
		return never
	}
	if x.place == onVersion && !x.quarantined() {
		return immutable
	}
	return revalidate
}

// unknownType is the Content-Type of a file that its author compressed, for a client that does not unpack it.
var unknownType = []string{mediatype.Unknown}

// describe sets the fields of every response and those that describe a form, for an answer with that status. It leaves
// Content-Length to the caller.
func (x *exchange) describe(f *file, o *form, status int) http.Header {
	h := x.headers(x.fresh())
	switch {
	case status != http.StatusNotFound:
		h["Etag"] = o.etag
	case x.place != onDesk:
		h["Cache-Control"] = revalidate
	}
	switch navigation := x.moves() || x.followed; {
	case f.varies && navigation:
		h["Vary"] = varyBoth
	case f.varies:
		h["Vary"] = varyEncoding
	case navigation:
		h["Vary"] = varyBrowser
	}
	if status == http.StatusNotModified {
		return h
	}
	h["Content-Type"] = f.mediaType
	switch {
	case o.encoding != nil:
		h["Content-Encoding"] = o.encoding
	case f.encoded:
		h["Content-Type"] = unknownType
	}
	if o == &f.plain {
		h["Accept-Ranges"] = inBytes
	}
	return h
}
