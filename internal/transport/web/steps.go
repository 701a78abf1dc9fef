package web

import (
	"encoding/json"
	"html/template"
	"strings"

	"sandlot"
	"sandlot/internal/transport/web/brand"
)

// stepsHole is the place of the operator's steps on an empty home page.
const stepsHole = "steps"

// operates reports whether the visitor runs the instance: everybody does where it is local.
func (v *visit) operates() bool { return !v.public() || v.Operator() }

// Operator reports whether the visitor's account makes invitations.
func (v *visit) Operator() bool {
	return v.me != nil && v.me.Account.Role == sandlot.OperatorRole && !v.me.Account.Suspended
}

// A step is something that the operator of a new instance may still have to do, with the names of its texts.
type step struct {
	Name, Text string
	Flag       string // the setting that it takes
	Done       bool
}

// Files returns the files of the operator's own pages.
func (step) Files() string { return "about.md, terms.md, privacy.md" }

// Steps returns the steps for an operator, and nothing for other visitors.
func (v view) Steps() (template.HTML, error) {
	switch {
	case v.anybody:
		return holeOf(stepsHole), nil
	case !v.operates():
		return "", nil
	}
	var out strings.Builder
	err := v.templates.ExecuteTemplate(&out, "steps", view{visit: v.visit, Data: v.steps()})
	return template.HTML(out.String()), err
}

func (v *visit) steps() []step {
	of := func(name, flag string, done bool) step {
		text := "steps." + name + "-todo"
		if done {
			text = "steps." + name + "-done"
		}
		return step{"steps." + name, text, flag, done}
	}
	return []step{
		of("mail", "--smtp-url", v.ready.Mail != nil && v.ready.Mail()),
		of("content", "--content-host", v.ready.ContentHost),
		of("pages", "--pages", len(v.papers) > 0),
	}
}

// Brand returns how the instance presents itself.
func (v view) Brand() brand.Brand { return v.brand }

// Own returns the address of a static file of the instance: its own, or that of the program.
func (v view) Own(name string) string {
	if a, ok := v.own[name]; ok {
		return "/static/" + name + "?v=" + a.hash
	}
	return assetURL(name)
}

// ownAssets returns the static files in which an instance differs from the program.
func ownAssets(b brand.Brand) map[string]asset {
	out := map[string]asset{}
	add := func(name string, data []byte) { out[name] = newAsset(name, data) }
	if css := b.Accent.CSS(); css != "" {
		add("brand.css", []byte(css))
	}
	if len(b.Mark.Bytes) > 0 {
		add(b.Mark.File(), b.Mark.Bytes)
	}
	if b.Name == "" && len(b.Mark.Bytes) == 0 {
		return out
	}
	var manifest map[string]any
	if err := json.Unmarshal(openAssets()["site.webmanifest"].bytes, &manifest); err != nil {
		panic(err) // it is embedded, and a test reads it
	}
	manifest["name"] = b.Called()
	if a, ok := out[b.Mark.File()]; ok {
		manifest["icons"] = []map[string]string{{"src": b.Mark.File() + "?v=" + a.hash, "type": a.contentType, "sizes": "any"}}
	}
	data, _ := json.MarshalIndent(manifest, "", "  ") // it was JSON before
	add("site.webmanifest", data)
	return out
}

// Ready says which parts of the instance are set up.
type Ready struct {
	Mail        func() bool // whether messages are sent; nil: they are not
	ContentHost bool        // whether projects are kept apart from the login
}
