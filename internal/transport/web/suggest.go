package web

import (
	"html/template"
	"strconv"
	"strings"

	"sandlot/internal/domain/gallery"
)

// suggest answers with the options of what is being typed into the search, as a piece of a page.
func (l lists) suggest(v *visit) error {
	text := wanted(v.r.URL.Query().Get("q"))
	found, err := l.gallery.Suggest(v.r.Context(), v.by, text)
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Cache-Control", "private, max-age=10")
	h.Set("X-Robots-Tag", "noindex")
	return v.send("text/html; charset=utf-8", []byte(options(found)))
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
