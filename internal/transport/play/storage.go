package play

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
)

// A storagePage is a small page on each project's own origin. The website frames it to find out whether scripts of that
// origin have storage in a frame, which some browsers deny: a game that reads it first thing would then stay blank. The
// page reports only to the website's origin.
type storagePage struct {
	body     []byte
	policy   []string // its Content-Security-Policy: the website alone may frame it
	embedded []string // the policy if another site frames the website's page
}

// embeddedQuery is the query of a request by /embed. Any site may frame the page around that, so any may frame this
// one.
const embeddedQuery = "embedded"

// newStoragePage returns the page for a website at an origin.
func newStoragePage(site string) storagePage {
	origin, _ := json.Marshal(site) // with < and > escaped; a text always encodes
	// A read reveals as much as a write would, and other tabs of the project get no event from it.
	script := `let storage=true;try{localStorage.length}catch{storage=false}parent.postMessage({storage},` +
		string(origin) + `)`
	sum := sha256.Sum256([]byte(script))
	policy := "default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors "
	return storagePage{
		body: []byte(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Storage</title><script>` + script +
			"</script></html>\n"),
		policy:   []string{policy + site},
		embedded: []string{policy + "*"},
	}
}

// storage answers with the page. Only a project's own origin has it.
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
	x.write(http.StatusOK, pageType, x.storagePage.body)
}
