package web

import (
	"html/template"
	"strconv"
	"strings"

	"sandlot/internal/gallery"
)

// mostSuggested is how many projects are suggested while somebody types: what a phone shows above its keyboard.
const mostSuggested = 8

// suggest answers with the options of what is being typed into the search, as a piece of a page.
func (p browsing) suggest(v *visit) error {
	text := wanted(v.r.URL.Query().Get("q"))
	var found gallery.Page
	if text != "" {
		var err error
		if found, err = p.Gallery.Search(v.r.Context(), v.by, text, ""); err != nil {
			return err
		}
	}
	h := v.w.Header()
	h.Set("Cache-Control", "private, max-age=10")
	h.Set("X-Robots-Tag", "noindex")
	return v.send("text/html; charset=utf-8", []byte(options(found.Cards[:min(len(found.Cards), mostSuggested)])))
}

// options are projects as a list to choose from. Whatever anybody could have written is escaped.
func options(list []gallery.Card) string {
	var out strings.Builder
	for i, c := range list {
		p := c.Project
		out.WriteString(`<li role="option" id="found-` + strconv.Itoa(i) + `" data-to="/p/` + template.HTMLEscapeString(string(p.ID)) + `">`)
		writeCover(&out, p, foundSizes)
		out.WriteString(`<span><b dir="auto">` + template.HTMLEscapeString(name(p)) + `</b><small>@` + template.HTMLEscapeString(p.Handle) + "</small></span></li>\n")
	}
	return out.String()
}
