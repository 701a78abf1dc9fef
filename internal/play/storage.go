package play

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// A storagePage is a small page of each project's own origin. The site's page frames it to find out whether scripts of that
// origin have their storage there, which browsers take from pages framed by another site: a game that reads it first
// would stay blank. It tells the site's origin alone, knows nothing, and has nothing to press.
type storagePage struct {
	body             []byte
	policy, embedded []string // Content-Security-Policy; embedded: where the site's page is itself in somebody else's
}

// embeddedQuery marks the request of a page that others embed: then the frames around are not the site's alone.
const embeddedQuery = "embedded"

func newStoragePage(base *url.URL) storagePage {
	site := base.Scheme + "://" + base.Host
	origin, err := json.Marshal(site) // with < and > escaped
	if err != nil {
		panic(err) // a text always encodes
	}
	// To read says as much as to write, and other tabs of the project hear nothing of it.
	script := `let storage=true;try{localStorage.length}catch{storage=false}parent.postMessage({storage},` + string(origin) + `)`
	sum := sha256.Sum256([]byte(script))
	policy := "default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors "
	return storagePage{
		body:     []byte(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Storage</title><script>` + script + "</script></html>\n"),
		policy:   []string{policy + site},
		embedded: []string{policy + "*"},
	}
}

// storage answers with the page, which the project's own origin alone has.
func (x *exchange) storage() {
	if x.place != onProject {
		x.notFound()
		return
	}
	h := x.headers(revalidate)
	h["Content-Security-Policy"] = x.storagePage.policy
	if x.r.URL.RawQuery == embeddedQuery {
		h["Content-Security-Policy"] = x.storagePage.embedded
	}
	h["Content-Type"] = pageType
	h.Set("Content-Length", strconv.Itoa(len(x.storagePage.body)))
	x.w.WriteHeader(http.StatusOK)
	if x.r.Method != http.MethodHead {
		_, _ = x.w.Write(x.storagePage.body) // the browser is gone if this fails
	}
}
