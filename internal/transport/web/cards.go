package web

import (
	"html/template"
	"strings"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/transport/web/texts"
)

// Cards are the cards of projects in a list. They are most of a page that is made anew for
// each who looks, and written here in a twentieth of the time that a template takes: so whatever
// anybody could have written is escaped here.
func (v view) Cards(list []gallery.Card) template.HTML { return cards(v.Voice, v.Title, list) }

// cards writes the cards of a list on a page of that title.
func cards(in texts.Voice, title string, list []gallery.Card) template.HTML {
	var out strings.Builder
	out.Grow(1280*len(list) + 64)
	out.WriteString("<ul class=\"cards\">\n")
	w := cardWriter{voice: in, title: title, out: &out, counts: map[count]string{}}
	for _, c := range list {
		w.card(c)
	}
	out.WriteString("</ul>")
	return template.HTML(out.String())
}

// A cardWriter writes the cards of a page.
type cardWriter struct {
	voice  texts.Voice
	title  string // of the page
	out    *strings.Builder
	counts map[count]string // what it has said: most cards say the same of few plays
}

// A count is a text that speaks of n things.
type count struct {
	text string
	n    int64
}

func (w *cardWriter) add(texts ...string) {
	for _, text := range texts {
		w.out.WriteString(text)
	}
}

// T is the text of that name that speaks of n things, as HTML.
func (w *cardWriter) T(text string, n int64) string {
	c := count{text, n}
	said, ok := w.counts[c]
	if !ok {
		said = template.HTMLEscapeString(w.voice.T(text, "n", n))
		w.counts[c] = said
	}
	return said
}

func (w *cardWriter) card(c gallery.Card) {
	p := c.Project
	id, handle := template.HTMLEscapeString(string(p.ID)), template.HTMLEscapeString(p.Handle)
	w.add("<li class=\"card\">\n")
	writeCover(w.out, p, cardSizes)
	w.add("\n<p class=\"card-title\"><a href=\"/p/", id, "\" dir=\"auto\"")
	if p.Lang != "" {
		w.add(" lang=\"", template.HTMLEscapeString(p.Lang), "\"")
	}
	title := id
	if p.Title != "" {
		title = template.HTMLEscapeString(p.Title)
	}
	w.add(">", title, "</a></p>\n")
	if w.title != "@"+p.Handle { // on the maker's own page
		w.add("<p class=\"card-maker\"><a href=\"/@", handle, "\">@", handle, "</a></p>\n")
	}
	w.add("<p class=\"card-counts\">")
	if c.Stats.Players > 0 {
		w.add("<span class=\"live\">", w.T("gallery.players", int64(c.Stats.Players)), "</span>\n")
	}
	if c.Stats.Plays > 0 { // that there is none yet is nothing to tell
		w.add("<span>", w.T("gallery.plays", c.Stats.Plays), "</span>\n")
	}
	if c.Stats.Likes > 0 {
		w.add("<span>", w.T("gallery.likes", c.Stats.Likes), "</span>")
	}
	w.add("</p>\n</li>\n")
}
