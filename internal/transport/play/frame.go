package play

import (
	"context"
	"errors"
	"strings"

	"sandlot"
)

// Frames returns projects that the desk of moderators frames; *desk.Service implements it.
type Frames interface {
	// Framed returns the project of a label, also while others may not see it. It fails with sandlot.ErrNotFound for a
	// label that Frame of the desk did not make within the last hour.
	Framed(ctx context.Context, by sandlot.Caller, label string) (sandlot.Project, error)
}

// onFrame is within the labels of frames, and within no label of a project, a version or a preview.
const onFrame = "--desk-"

// framed is the policy of a page that is reported: it may be malicious, and moderators open it. It reaches nothing but its own
// files. The desk keeps it from other sites with a policy of its own, as a page may lead its own frame elsewhere.
const framed = "default-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' data: blob:; connect-src 'none'; " +
	"object-src 'none'; base-uri 'self'; form-action 'none'; webrtc 'block'; sandbox allow-scripts"

// frame answers a request to the origin of a frame. Nothing of the service is there, and nothing is counted. A browser's
// top-level navigation gets nothing: there the page could lead the tab to another site.
func (x *exchange) frame(label string) {
	x.place, x.trial = onDesk, true
	if x.Frames == nil || navigates(x.r.Header) {
		x.notFound()
		return
	}
	p, err := x.Frames.Framed(x.r.Context(), sandlot.Caller{}, label)
	if errors.Is(err, sandlot.ErrNotFound) {
		err = sandlot.CodeProjectNotFound
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.project = p
	x.project.Threads = false
	switch path := x.r.URL.Path; {
	case asksForWorker(x.r) || strings.HasPrefix(path, ours):
		x.notFound()
	case x.takes(allowed):
		x.file(path)
	}
}
