package play

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"strconv"

	"sandlot/internal/domain/admission"
	"sandlot/internal/format/mediatype"
)

// A preview is a project as it would run here, before it is published: the service does not have it. The website frames a small page on an
// origin that the browser has drawn for it, and hands it the files; a service worker of that origin then answers for them. The page takes
// files from the website's origin alone, and only the website may frame it or what it shows.
type preview struct {
	page      []byte
	ancestors string // the end of a policy: who may frame it
	script    *file
	worker    *file
}

//go:embed preview.js
var previewJS []byte

//go:embed preview-worker.js
var previewWorkerJS []byte

// previewDoors are the doors of the origin of a preview, which has nothing else. It never changes.
var previewDoors = []door{
	{"preview", admission.Fetch, (*exchange).mayRead, (*exchange).previewPage},
	{"preview-end", admission.Fetch, (*exchange).mayReadApart, (*exchange).previewEnd},
	{"preview.js", admission.Fetch, (*exchange).mayRead, func(x *exchange) { x.send(x.previews.script, &x.previews.script.plain, http.StatusOK) }},
	{"preview-worker.js", admission.Fetch, (*exchange).mayReadApart, (*exchange).previewWorker},
}

// unverified is the query of the page of a preview whose project would have an owner that is not verified.
const unverified = "unverified"

// newPreview makes what previews have in common. The script finds in the page what the service alone knows: the website's origin,
// and how each file is served.
func newPreview(site string, quarantine bool) preview {
	ancestors := "; frame-ancestors 'self' " + site
	headers := map[string]string{}
	for _, f := range always {
		headers[f.name] = f.value[0]
	}
	policies := map[string]string{"": csp + ancestors, "?" + unverified: csp + ancestors}
	if quarantine {
		policies["?"+unverified] = quarantinedOrigin + ancestors
	}
	told, err := json.Marshal(map[string]any{"site": site, "types": mediatype.All(), "headers": headers, "policies": policies}) // with < and > escaped
	if err != nil {
		panic(err) // texts always encode
	}
	return preview{
		page: []byte(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Preview</title><script type="application/json" id="told">` + string(told) +
			`</script><script src="./preview.js"></script></html>` + "\n"),
		ancestors: ancestors,
		script:    scriptFile("preview.js", previewJS),
		worker:    scriptFile("preview-worker.js", previewWorkerJS),
	}
}

// preview answers on the origin of a preview, and where there are no such origins under its name in the path form.
func (x *exchange) preview(path string) {
	if x.previewing = true; len(path) > len(ours) && path[:len(ours)] == ours {
		x.own(path[len(ours):])
	} else if x.reads(allowed) {
		x.notFound()
	}
}

// mayReadApart is the check of a door that is for the origin of a preview alone: what it has the browser do is done to the
// whole origin, and that of the path form is the website's.
func (x *exchange) mayReadApart() bool {
	if x.place != onPath {
		return x.mayRead()
	}
	x.notFound()
	return false
}

// previewPage answers with the page that waits for files. It has the policy that they will have, for where there is no
// service worker one page takes its place.
func (x *exchange) previewPage() {
	x.project.Verified = x.r.URL.RawQuery != unverified
	x.sendPreview()
}

// previewEnd answers with the same page, and has the browser forget what it keeps of the preview.
func (x *exchange) previewEnd() {
	x.w.Header().Set("Clear-Site-Data", `"storage"`)
	x.sendPreview()
}

func (x *exchange) sendPreview() {
	h := x.headers(never)
	h["Content-Security-Policy"] = []string{x.policy()[0] + x.previews.ancestors}
	h["Content-Type"] = pageType
	h.Set("Content-Length", strconv.Itoa(len(x.previews.page)))
	x.w.WriteHeader(http.StatusOK)
	if x.r.Method != http.MethodHead {
		_, _ = x.w.Write(x.previews.page) // the browser is gone if this fails
	}
}

// previewWorker answers with the script of the service worker, which may answer for all of its origin.
func (x *exchange) previewWorker() {
	x.w.Header().Set("Service-Worker-Allowed", "/")
	x.send(x.previews.worker, &x.previews.worker.plain, http.StatusOK)
}
