package play

import (
	_ "embed"
	"encoding/json"
	"net/http"

	"sandlot/internal/domain/admission"
	"sandlot/internal/format/mediatype"
)

// A preview shows a project as it would run here, before it is published. The website frames a small page on an origin
// with a random name, and sends it the files; a service worker of that origin then answers for them. The page takes
// files from the website's origin alone, and only the website may frame it and the project in it.
type preview struct {
	page      []byte
	ancestors string // the end of a policy: the sites that may frame it
	script    *file
	worker    *file
}

//go:embed preview.js
var previewJS []byte

//go:embed preview-worker.js
var previewWorkerJS []byte

// previewDoors are the doors of the origin of a preview, which has nothing else. It never changes.
var previewDoors = []door{
	{"preview", admission.Fetch, allowed, (*exchange).previewPage},
	{"preview-end", admission.Fetch, allowed, (*exchange).previewEnd},
	{"preview.js", admission.Fetch, allowed, func(x *exchange) { x.send(x.previews.script, &x.previews.script.plain, http.StatusOK) }},
	{"preview-worker.js", admission.Fetch, allowed, (*exchange).previewWorker},
	{sdkName, admission.Fetch, allowed, sendSDK},
}

// unverified is the query of a preview's page for a project whose owner would be unverified.
const unverified = "unverified"

// newPreview returns the parts that all previews share. The page contains the facts that only the service knows: the
// website's origin, and the headers of each kind of file.
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
	facts := map[string]any{"site": site, "types": mediatype.All(), "headers": headers, "policies": policies}
	told, _ := json.Marshal(facts) // with < and > escaped; texts always encode
	return preview{
		page: []byte(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Preview</title>` +
			`<script type="application/json" id="told">` + string(told) +
			`</script><script src="./preview.js"></script></html>` + "\n"),
		ancestors: ancestors,
		script:    scriptFile("preview.js", previewJS),
		worker:    scriptFile("preview-worker.js", previewWorkerJS),
	}
}

// preview answers on the origin of a preview or, without such origins, under its name in the path form.
func (x *exchange) preview(path string) {
	if x.previewing = true; len(path) > len(ours) && path[:len(ours)] == ours {
		x.own(path[len(ours):])
	} else if x.takes(allowed) {
		x.notFound()
	}
}

// previewPage answers with the page that waits for files. It has the policy of the files themselves, for without a
// service worker one page takes its place.
func (x *exchange) previewPage() {
	x.project.Verified = x.r.URL.RawQuery != unverified
	x.sendPreview()
}

func (x *exchange) sendPreview() {
	h := x.headers(never)
	h["Content-Security-Policy"] = []string{x.policy()[0] + x.previews.ancestors}
	x.write(http.StatusOK, pageType, x.previews.page)
}

// previewEnd answers with the same page, and makes the browser delete its storage of the preview. Like the worker it
// exists only on the origin of a preview: its effect extends to the whole origin, and that of the path form is the
// website's.
func (x *exchange) previewEnd() {
	if x.place == onPath {
		x.notFound()
		return
	}
	x.w.Header().Set("Clear-Site-Data", `"storage"`)
	x.sendPreview()
}

// previewWorker answers with the script of the service worker, which may answer for its whole origin.
func (x *exchange) previewWorker() {
	if x.place == onPath {
		x.notFound()
		return
	}
	x.w.Header().Set("Service-Worker-Allowed", "/")
	x.send(x.previews.worker, &x.previews.worker.plain, http.StatusOK)
}
