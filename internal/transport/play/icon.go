package play

import (
	"crypto/sha256"
	_ "embed"
	"net/http"
	"net/url"

	"sandlot"
	"sandlot/internal/format/names"
)

// iconPath is the path that browsers request by themselves. A 404 would put a message into the console of a game that
// did not request it.
const iconPath = "/favicon.ico"

// iconHead is the part of the primary file that is searched for a link to its icon, in bytes. Heads of games are well
// within it.
const iconHead = 16 << 10

//go:embed icon.svg
var iconSVG []byte

// iconFile returns the icon of all projects without one of their own.
func iconFile() *file {
	f := newFile(&sandlot.File{Name: "icon.svg", Blob: sandlot.Blob{Size: int64(len(iconSVG)), SHA256: sha256.Sum256(iconSVG), Text: true}})
	f.plain.body, f.varies = iconSVG, false
	return f
}

// icon answers for iconPath if the project has no file of that name: with the project's icon under another name, or
// with the default icon.
func (x *exchange) icon(l *list) {
	name := l.icon.Load()
	if name == nil {
		found := x.findIcon(l)
		name = &found
		l.icon.Store(name)
	}
	f := l.files[*name]
	if f == nil {
		f = x.ownIcon
	}
	x.send(f, f.form(x.r.Header), http.StatusOK)
}

// findIcon returns the name of the project's own icon: favicon.svg, favicon.png, or the file that its primary page
// links to. It is empty if there is none, or if the page cannot be read.
func (x *exchange) findIcon(l *list) string {
	for _, name := range [...]string{"favicon.svg", "favicon.png"} {
		if l.files[name] != nil {
			return name
		}
	}
	f := l.files[x.project.Primary]
	if f == nil || !f.html {
		return ""
	}
	head, err := x.bytes(x.r.Context(), &f.plain, 0, min(f.plain.size, iconHead))
	if err != nil {
		return ""
	}
	at, err := url.Parse(names.DocumentIcon(head))
	if err != nil || at.IsAbs() || at.Host != "" || at.Path == "" {
		return ""
	}
	from := url.URL{Path: "/" + x.project.Primary}
	_, name, _ := l.find(names.Requested(from.ResolveReference(at).Path), x.project.Primary)
	return name
}
