package web

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
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
	lists, err := ways(v, head, beside)
	if err != nil {
		return sheet{}, err
	}
	parts, err := p.board.parts(v, head)
	if err != nil {
		return sheet{}, err
	}
	maps.Copy(lists, parts)
	s.page = s.With(lists)
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

// waysPage holds the projects that a project leads on to.
type waysPage struct {
	gallery.Beside
	Of    sandlot.Project
	First sandlot.Project
}

// ways returns the links and lists of the projects that a project leads on to, for each hole of the page.
func ways(v *visit, of sandlot.Project, beside gallery.Beside) (map[string]string, error) {
	holes := map[string]string{"bar-next": "", "onward": "", "next": "", "more": ""}
	onto := slices.Concat(beside.Next, beside.More)
	if len(onto) == 0 {
		return holes, nil
	}
	page := view{visit: v, Title: "@" + of.Handle, Data: waysPage{beside, of, onto[0].Project}}
	for hole := range holes {
		var out strings.Builder
		err := v.templates.ExecuteTemplate(&out, "ways-"+hole, page)
		if err != nil {
			return nil, err
		}
		holes[hole] = strings.TrimSpace(out.String())
	}
	return holes, nil
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
		fmt.Fprintf(to, `<button form="like" class="tool" aria-pressed="%t" aria-label="%s">%s</button>`,
			f.its.liked, esc(f.T("like.like")), icon("heart"))
	case "like":
		f.like(to)
	case "counts":
		f.counts(to)
	}
}

func (f filling) like(to *bytes.Buffer) {
	wish := 1
	if f.its.liked {
		wish = 0
	}
	fmt.Fprintf(to, `<form class="like" id="like" method="post" action="/p/%s/like"><input type="hidden" name="like" value="%d">`,
		esc(string(f.of.ID)), wish)
	if f.its.token != "" {
		fmt.Fprintf(to, `<input type="hidden" name="visitor" value="%s">`, esc(f.its.token))
	}
	likes := f.its.stats.Likes
	fmt.Fprintf(to, `<button class="tool" aria-pressed="%t">%s <span>%s</span> <b data-likes%s>%s</b></button></form>`,
		f.its.liked, icon("heart"), esc(f.T("like.like")), unless(likes > 0), f.Whole(likes))
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
	fmt.Fprintf(to, `<dl class="counts" data-project="%s">`, esc(string(f.of.ID)))
	add := func(text, label, sign, data string, n int64) {
		fmt.Fprintf(to, `<div%s><dt data-forms="%s">%s</dt><dd>%s <span %s>%s</span></dd></div>`,
			unless(n > 0), esc(f.Forms(text)), esc(label), icon(sign), data, f.Whole(n))
	}
	plays, players := f.its.stats.Plays, int64(f.its.stats.Players)
	add("live.plays", f.T("live.plays", "n", plays), "play", "data-plays", plays)
	add("live.players", f.T("live.players", "n", players), "players", "data-live", players)
	to.WriteString("</dl>")
}

// maker returns a link to the page of an account.
func maker(handle string) template.HTML {
	return template.HTML(fmt.Sprintf(`<a href="/@%s"><bdi>@%[1]s</bdi></a>`, esc(handle)))
}

// esc returns a text as HTML.
func esc(text string) string { return template.HTMLEscapeString(text) }

// icon returns a symbol of the page's sprite. Screen readers skip it: a label stands beside it.
func icon(name string) string {
	const svg = `<svg class="icon i-%s" width="20" height="20" aria-hidden="true" focusable="false"><use href="#i-%[1]s"/></svg>`
	return fmt.Sprintf(svg, name)
}

// iconOf is icon for templates.
func iconOf(name string) template.HTML { return template.HTML(icon(name)) }
