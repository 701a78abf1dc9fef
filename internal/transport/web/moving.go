package web

import (
	"bytes"
	"context"
	"html/template"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/transport/web/stencil"
)

// A sheet is the page of a project for visitors other than its owner, without the holes of each visitor. Rendering takes
// a millisecond, so the page is kept until the project changes; its lists and counts are fetched at intervals.
type sheet struct {
	stencil.Stencil       // with holes for the lists
	change          int64 // the change number of the project at the time
	at              time.Time
	stats           sandlot.Stats
	page            stencil.Stencil // with the projects that it leads on to
}

func newSheets() *cache[sheet] {
	// Compressed, HTML has less than half of its bytes.
	return newCache(maxSheets, func(s sheet) int { return s.page.Size() * 3 / 2 })
}

// A liking is this visitor's relation to a project.
type liking struct {
	liked bool
	token string        // for a browser that has none, in case it likes the project
	stats sandlot.Stats // the stats after this visitor's last action
}

// sheet returns the page of a project, which all visitors but its owner share.
func (p *projectPages) sheet(v *visit, head sandlot.Project) (sheet, error) {
	if owns(v, head) || v.said != "" {
		return p.renew(v, head, sheet{})
	}
	young := func(s sheet) bool { return s.change == head.Change && v.now().Sub(s.at).Abs() < frontFor }
	return p.sheets.get(v.r.Context(), v.Lang+" "+string(head.ID), young, sandlot.Gone, func(before sheet) (sheet, error) {
		return p.renew(v.forAll(), head, before)
	})
}

// renew renders the page if the project has changed, and fetches its lists and counts.
func (p *projectPages) renew(v *visit, head sandlot.Project, s sheet) (_ sheet, err error) {
	if s.Stencil == nil || s.change != head.Change {
		if s, err = p.render(v, head.ID); err != nil {
			return sheet{}, err
		}
	}
	s.at = v.now()
	beside, err := p.beside(v, head)
	if err != nil {
		return sheet{}, err
	}
	s.page = s.With(ways(v, head, beside))
	s.stats, err = p.gallery.Counts(v.r.Context(), v.by, head.ID)
	return s, err
}

// besideWait is the time that a page waits for the projects that it leads on to.
const besideWait = 500 * time.Millisecond

// beside returns the projects that a project leads on to, or none if they cannot be fetched: a project can be played
// while the database is down.
func (p *projectPages) beside(v *visit, of sandlot.Project) (gallery.Beside, error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), besideWait)
	defer cancel()
	found, err := p.gallery.Beside(ctx, v.by, of)
	if err != nil {
		return gallery.Beside{}, v.r.Context().Err()
	}
	return found, nil
}

// ways returns the links and lists of the projects that a project leads on to, for each hole of the page.
func ways(v *visit, of sandlot.Project, beside gallery.Beside) map[string]string {
	holes := map[string]string{"bar-next": "", "onward": "", "next": "", "more": ""}
	onto := beside.Next
	if len(onto) == 0 {
		onto = beside.More
	}
	if len(onto) == 0 {
		return holes
	}
	first := onto[0].Project
	address, title := template.HTMLEscapeString("/p/"+string(first.ID)), template.HTMLEscapeString(name(first))
	label := template.HTMLEscapeString(v.T("project.next-one", "title", name(first)))
	// The link in the bar to the next project, and the one on the poster after a play.
	holes["bar-next"] = `<a class="tool" href="` + address + `" rel="next" aria-label="` + label + `" title="` + label + `">` + icon("next") + `</a>`
	holes["onward"] = `<a class="onward" href="` + address + `" rel="next" hidden>` + template.HTMLEscapeString(v.T("project.next")) + ` <bdi>` + title + `</bdi> ` + icon("next") + `</a>`
	if len(beside.Next) > 0 {
		holes["next"] = section("next", template.HTMLEscapeString(v.T("project.next-title")), cards(v.Voice, "", beside.Next))
	}
	if len(beside.More) > 0 {
		by := v.Rich("project.more", "handle", template.HTML(`<a href="/@`+template.HTMLEscapeString(of.Handle)+`"><bdi>@`+template.HTMLEscapeString(of.Handle)+`</bdi></a>`))
		holes["more"] = section("more", string(by), cards(v.Voice, "@"+of.Handle, beside.More))
	}
	return holes
}

func section(class, title string, cards template.HTML) string {
	return `<section class="` + class + `" aria-labelledby="` + class + "\">\n<h2 id=\"" + class + `">` + title + "</h2>\n" + string(cards) + "\n</section>"
}

// likes returns this visitor's relation to a project. A visitor without a token likes none, and gets the common stats.
func (p *projectPages) likes(v *visit, of sandlot.Project, all sandlot.Stats) (liking, error) {
	ctx := v.r.Context()
	mine := p.visitors.token(v.r)
	if mine == "" {
		token, err := p.visitors.tokens.MintPlayerToken(ctx, v.by)
		return liking{false, token, all}, err
	}
	liked, err := p.gallery.Liked(ctx, v.by, of.ID, mine)
	if err != nil {
		return liking{}, err
	}
	stats, err := p.gallery.Counts(ctx, v.by, of.ID)
	return liking{liked, "", stats}, err
}

// A filling fills the holes of a page for one visitor.
type filling struct {
	*visit
	of  sandlot.Project
	its liking
}

// fill writes the moving content of a hole of the page.
func (f filling) fill(to *bytes.Buffer, name string) {
	switch name {
	case "bar-like":
		to.WriteString(`<button form="like" class="tool" aria-pressed="` + truth(f.its.liked) + `" aria-label="` + template.HTMLEscapeString(f.T("like.like")) + `">` + icon("heart") + `</button>`)
	case "like":
		f.like(to)
	case "counts":
		f.counts(to)
	}
}

func truth(is bool) string {
	if is {
		return "true"
	}
	return "false"
}

func (f filling) like(to *bytes.Buffer) {
	wish := "1"
	if f.its.liked {
		wish = "0"
	}
	to.WriteString(`<form class="like" id="like" method="post" action="/p/` + template.HTMLEscapeString(string(f.of.ID)) + `/like"><input type="hidden" name="like" value="` + wish + `">`)
	if f.its.token != "" {
		to.WriteString(`<input type="hidden" name="visitor" value="` + template.HTMLEscapeString(f.its.token) + `">`)
	}
	to.WriteString(`<button class="tool" aria-pressed="` + truth(f.its.liked) + `">` + icon("heart") + ` <span>` + template.HTMLEscapeString(f.T("like.like")) +
		`</span> <b data-likes` + unless(f.its.stats.Likes > 0) + `>` + f.Whole(f.its.stats.Likes) + `</b></button></form>`)
}

// unless returns the attribute that hides an element without content. The scripts of the page show it once it has some.
func unless(some bool) string {
	if some {
		return ""
	}
	return " hidden"
}

// counts writes the counts, each with a label in the plural form of the language: "1 play", "2 plays".
func (f filling) counts(to *bytes.Buffer) {
	to.WriteString(`<dl class="counts" data-project="` + template.HTMLEscapeString(string(f.of.ID)) + `">`)
	add := func(text, label, sign, data string, n int64) {
		to.WriteString(`<div` + unless(n > 0) + `><dt data-forms="` + f.forms(text) + `">` + template.HTMLEscapeString(label) + `</dt><dd>` + icon(sign) + ` <span ` + data + `>` + f.Whole(n) + `</span></dd></div>`)
	}
	add("live.plays", f.T("live.plays", "n", f.its.stats.Plays), "play", "data-plays", f.its.stats.Plays)
	players := int64(f.its.stats.Players)
	add("live.players", f.T("live.players", "n", players), "players", "data-live", players)
	to.WriteString("</dl>")
}

// forms returns the plural forms of a text, as the value of an attribute.
func (f filling) forms(text string) string {
	forms, err := f.Forms(text)
	if err != nil {
		return "{}" // texts always encode
	}
	return template.HTMLEscapeString(forms)
}

// icon returns a symbol of the page's sprite. Screen readers skip it: a label stands beside it.
func icon(name string) string {
	return `<svg class="icon i-` + name + `" width="20" height="20" aria-hidden="true" focusable="false"><use href="#i-` + name + `"/></svg>`
}

// iconOf is icon for templates.
func iconOf(name string) template.HTML { return template.HTML(icon(name)) }
