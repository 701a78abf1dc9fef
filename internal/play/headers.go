package play

import (
	"net/http"

	"sandlot/internal/mediatype"
)

// field is a header with its value made once. The values are shared by all responses: net/http only reads them, and
// whoever appends to one gets a copy, for they have no room to grow.
type field struct {
	name  string
	value []string
}

// always are on every response, whatever its status. Published code is trusted with its own origin and nothing else:
// its type is never guessed, it shares no process with other origins, and it gets no device that a page could ask for.
// Of those only what Chromium knows everywhere is named: it warns of other names in the console of every game.
// There is no frame-ancestors: projects may be framed anywhere, for nothing in them is authenticated.
var always = [...]field{
	{"X-Content-Type-Options", []string{"nosniff"}},
	{"Origin-Agent-Cluster", []string{"?1"}},
	{"Cross-Origin-Resource-Policy", []string{"cross-origin"}},
	{"Referrer-Policy", []string{"strict-origin-when-cross-origin"}},
	{"Permissions-Policy", []string{"camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), " +
		"midi=(), display-capture=(), browsing-topics=()"}},
}

const csp = "object-src 'none'; base-uri 'self'"

// quarantined is added for the projects of an account that nobody has verified, where the operator asks for it: a
// self-contained game runs on, while a page that asks for passwords can send them nowhere unseen: what no policy
// forbids is to lead its own tab elsewhere. Dialogs work and forms fire their events, for honest games use them;
// form-action keeps what a form holds at home.
const (
	quarantined = csp + "; default-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' data: blob:; " +
		"connect-src 'self' data: blob:; form-action 'none'; frame-src 'self' data: blob:; sandbox allow-scripts allow-pointer-lock allow-orientation-lock allow-modals allow-forms"
	quarantinedOrigin = quarantined + " allow-same-origin"
)

var (
	originPolicy = []string{csp}
	// The sandbox without allow-same-origin is the path form's also in quarantine.
	quarantinedOriginPolicy = []string{quarantinedOrigin}
	quarantinedPathPolicy   = []string{quarantined}
	// Without allow-same-origin the page's origin is opaque: it reaches neither cookies nor storage of the site.
	pathPolicy = []string{csp + "; sandbox allow-scripts allow-pointer-lock allow-orientation-lock allow-modals " +
		"allow-forms allow-popups allow-downloads"}
	anyOrigin = []string{"*"}
	exposed   = []string{"Content-Encoding, Content-Range, ETag"}
	noindex   = []string{"noindex"}

	// What browsers ask for before a page may share memory between threads. All that a project serves may be embedded
	// by its own pages (Cross-Origin-Resource-Policy); what it loads from elsewhere has to allow it.
	ownGroup  = []string{"same-origin"}
	isolating = []string{"require-corp"}

	revalidate = []string{"no-cache"}
	immutable  = []string{"public, max-age=31536000, immutable"}
	never      = []string{"no-store"}

	pageType = []string{"text/html; charset=utf-8"}
	inBytes  = []string{"bytes"}

	varyEncoding = []string{"Accept-Encoding"}
	varyBoth     = []string{"Accept-Encoding, Sec-Fetch-Dest, Upgrade-Insecure-Requests, Accept"}
	varyBrowser  = []string{"Sec-Fetch-Dest, Upgrade-Insecure-Requests, Accept"}

	varyLanguage        = []string{"Accept-Language"}
	varyBrowserLanguage = []string{"Sec-Fetch-Dest, Upgrade-Insecure-Requests, Accept, Accept-Language"}
)

// headers sets what every response carries and returns the header for the rest.
func (x *exchange) headers(cacheControl []string) http.Header {
	h := x.w.Header()
	for i := range always {
		h[always[i].name] = always[i].value
	}
	h["Content-Security-Policy"] = x.policy()
	if x.place == onPath {
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

// policy chooses the Content-Security-Policy.
func (x *exchange) policy() []string {
	quarantine := x.quarantine && !x.project.Verified
	switch {
	case x.place == onPath && quarantine:
		return quarantinedPathPolicy
	case x.place == onPath:
		return pathPolicy
	case quarantine:
		return quarantinedOriginPolicy
	}
	return originPolicy
}

// fresh returns how long a file's bytes may be kept. Those of a version never change; those of a project are asked for
// every time, which costs a 304.
func (x *exchange) fresh() []string {
	if x.place == onVersion {
		return immutable
	}
	return revalidate
}

// varies returns what a response depends on: the encodings, and what tells a browser's own navigation.
func varies(encodings, navigation bool) []string {
	switch {
	case encodings && navigation:
		return varyBoth
	case encodings:
		return varyEncoding
	case navigation:
		return varyBrowser
	}
	return nil
}

// unknownType is what the bytes of a pre-compressed file are to a client that does not unpack them.
var unknownType = []string{mediatype.Unknown}

// describe sets the headers that tell what a form is.
func (x *exchange) describe(f *file, o *form, status int) http.Header {
	h := x.headers(x.fresh())
	if status == http.StatusNotFound {
		h["Cache-Control"] = revalidate
	} else {
		h["Etag"] = o.etag
	}
	if vary := varies(f.varies, x.moves() || x.followed); vary != nil {
		h["Vary"] = vary
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
