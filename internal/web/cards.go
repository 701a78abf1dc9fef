package web

import (
	"html/template"

	"sandlot/internal/gallery"
)

// Cards are the cards of projects in a list. They are most of a page that is made anew for
// each who looks, and written here in a tenth of the time that a template takes: so whatever
// anybody could have written is escaped here.
func (v view) Cards(list []gallery.Card) template.HTML {
	out := make([]byte, 0, 1280*len(list)+64)
	out = append(out, "<ul class=\"cards\">\n"...)
	for _, c := range list {
		out = v.card(out, c)
	}
	return template.HTML(append(out, "</ul>"...))
}

func (v view) card(out []byte, c gallery.Card) []byte {
	p := c.Project
	id, handle := template.HTMLEscapeString(string(p.ID)), template.HTMLEscapeString(p.Handle)
	add := func(texts ...string) {
		for _, text := range texts {
			out = append(out, text...)
		}
	}
	add("<li class=\"card\">\n")
	out = pictureOf(p.ID).draw(out)
	add("\n<p class=\"card-title\"><a href=\"/p/", id, "\" dir=\"auto\"")
	if p.Lang != "" {
		add(" lang=\"", template.HTMLEscapeString(p.Lang), "\"")
	}
	title := id
	if p.Title != "" {
		title = template.HTMLEscapeString(p.Title)
	}
	add(">", title, "</a></p>\n")
	if v.Title != "@"+p.Handle { // on the maker's own page
		add("<p class=\"card-maker\"><a href=\"/@", handle, "\">@", handle, "</a></p>\n")
	}
	add("<p class=\"card-counts\">")
	if c.Stats.Players > 0 {
		add("<span class=\"live\">", template.HTMLEscapeString(v.T("gallery.players", "n", c.Stats.Players)), "</span>\n")
	}
	add("<span>", template.HTMLEscapeString(v.T("gallery.plays", "n", c.Stats.Plays)), "</span>\n")
	add("<span>", template.HTMLEscapeString(v.T("gallery.likes", "n", c.Stats.Likes)), "</span></p>\n</li>\n")
	return out
}
