package web

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/transport/web/texts"
)

// The widths of a cover on a card, among search results and on a poster, as the browser needs them to choose a file.
const (
	cardSizes  = "(min-width: 40rem) 18rem, 45vw"
	foundSizes = "6rem"

	posterSizes = "(min-width: 90rem) 80rem, 100vw"
)

// coverOf returns the cover of a project in a list: its picture, or else a tile with its title in a colour of its own.
// Screen readers skip it: the title stands beside it. sizes is the value of the attribute of that name; empty means the
// width of a card. The class is "cover"; a tile also has "tile".
func coverOf(p sandlot.Project, sizes string) template.HTML {
	if sizes == "" {
		sizes = cardSizes
	}
	if p.Suspended {
		p.Cover = "" // it is sent to nobody
	}
	var out strings.Builder
	writeCover(&out, p, sizes)
	return template.HTML(out.String())
}

// firstCover returns the cover of the project that visitors look at first, which a browser loads before all others.
func firstCover(p sandlot.Project, sizes string) template.HTML {
	return template.HTML(strings.Replace(string(coverOf(p, sizes)), `loading="lazy" decoding="async"`, `fetchpriority="high"`, 1))
}

// posterCover returns the whole cover on a frame: where the frame has another aspect ratio, a blurred copy fills the
// rest. The copy is the file for phones, and is loaded only where it is visible, so it costs no bytes elsewhere.
func posterCover(p sandlot.Project) template.HTML {
	whole := firstCover(p, posterSizes)
	if p.Cover == "" || p.Suspended {
		return whole
	}
	return template.HTML(`<img class="cover behind" src="/i/`+esc(p.Cover.File(640))+`" alt="" loading="lazy" decoding="async">`) + whole
}

// onPhone is the media query for which a large cover has the middle width at any pixel density: no picture may cost a
// phone over 60 KB.
const onPhone = "(max-width: 40rem), (max-height: 30rem)"

func writeCover(out *strings.Builder, p sandlot.Project, sizes string) {
	if p.Cover == "" {
		writeTile(out, p)
		return
	}
	address := func(width int) string { return "/i/" + esc(p.Cover.File(width)) }
	before, widest, after := "", "", ""
	if sizes != cardSizes && sizes != foundSizes {
		before = `<picture><source media="` + onPhone + `" srcset="` + address(640) + `">`
		widest, after = `, `+address(1280)+` 1280w`, `</picture>`
	}
	for _, part := range [...]string{
		before, `<img class="cover" src="`, address(640), `" srcset="`, address(320), ` 320w, `, address(640), ` 640w`, widest,
		`" sizes="`, esc(sizes), `" width="640" height="360" alt="" loading="lazy" decoding="async">`, after,
	} {
		out.WriteString(part)
	}
}

// writeTile writes the title of a project as a tile, as large as it fits.
func writeTile(out *strings.Builder, p sandlot.Project) {
	title := name(p)
	fmt.Fprintf(out, `<span class="cover tile hue-%d %s" aria-hidden="true"><span dir="auto"`, cover.HueOf(p.ID), titleSize(title))
	if p.Lang != "" {
		out.WriteString(` lang="` + esc(p.Lang) + `"`)
	}
	out.WriteString(">" + esc(title) + "</span></span>")
}

// titleSize returns the class of a title by its width and by its longest word, which should not be broken.
func titleSize(title string) string {
	all, word, longest := 0, 0, 0
	for _, r := range title[:min(len(title), 400)] {
		if unicode.IsSpace(r) {
			word = 0
		} else {
			word += cells(r)
		}
		all, longest = all+cells(r), max(longest, word)
		if cells(r) == 2 { // a line may break after it
			word = 0
		}
	}
	switch {
	case all <= 9 && longest <= 7:
		return "huge"
	case all <= 24 && longest <= 11:
		return "large"
	case all <= 48 && longest <= 16:
		return "middle"
	case longest <= 21:
		return "small"
	case longest <= 29:
		return "tiny"
	}
	return "least"
}

// cells returns the width of a character: two for East Asian ones, none for a mark on another.
func cells(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// Browsers may cache public answers, but a shared cache, such as a CDN, must revalidate after 25 seconds. With the 30
// for which a node without its database answers, a suspended project is gone within a minute.
const (
	sharedFor   = ", s-maxage=25"
	keptForever = "public, max-age=31536000, immutable" + sharedFor
)

// pictureFiles serves the pictures at their addresses.
type pictureFiles struct{ covers *cover.Service }

func (p pictureFiles) routes() []route {
	return []route{
		{"GET", "/i/{file}", stranger, admission.Fetch, p.send},
	}
}

// send sends a picture under a name that no other picture ever gets. The server encoded it from somebody's upload, and
// still a browser may only display it.
func (p pictureFiles) send(v *visit) error {
	id, width, contentType, ok := parsePicture(v.r.PathValue("file"))
	if !ok {
		return sandlot.ErrNotFound
	}
	body, err := p.covers.Picture(v.r.Context(), v.by, id, width)
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Cache-Control", keptForever)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // feed readers show it on their own pages
	h.Set("X-Content-Type-Options", "nosniff")
	if v.unchanged(v.r.PathValue("file")) {
		return nil
	}
	return v.send(contentType, body)
}

// parsePicture parses the file name of a picture in one of its widths.
func parsePicture(file string) (id sandlot.PictureID, width int, contentType string, ok bool) {
	name, ending, _ := strings.Cut(file, ".")
	random, wide, _ := strings.Cut(name, "-")
	width, err := strconv.Atoi(wide)
	if err != nil || random == "" || len(random) > 40 {
		return "", 0, "", false
	}
	id = sandlot.PictureID(random)
	switch {
	case id.File(width) != file:
		return "", 0, "", false
	case ending == "png":
		return id, width, "image/png", true
	}
	return id, width, "image/jpeg", true
}

// Cards returns the cards of projects in a list. They are most of a page that is rendered for each visitor, and this
// code takes a twentieth of a template's time: so all text of users is escaped here.
func (v view) Cards(list []gallery.Card) template.HTML { return cards(v.Voice, v.Title, list) }

// cards returns the cards of a list on a page of that title.
func cards(in texts.Voice, title string, list []gallery.Card) template.HTML {
	return cardsWith(in, title, list, nil)
}

// cardsWith is cards with the best scores of some projects, which these cards show in place of their counts.
func cardsWith(in texts.Voice, title string, list []gallery.Card, bests map[sandlot.ProjectID]boards.Entry) template.HTML {
	var out strings.Builder
	out.Grow(1280*len(list) + 64)
	out.WriteString("<ul class=\"cards\">\n")
	w := cardWriter{voice: in, title: title, out: &out, counts: map[count]string{}, bests: bests}
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
	counts map[count]string // its texts so far: most cards have the same few counts
	bests  map[sandlot.ProjectID]boards.Entry
}

// A count is a text about n things.
type count struct {
	text string
	n    int64
}

func (w *cardWriter) add(texts ...string) {
	for _, text := range texts {
		w.out.WriteString(text)
	}
}

// T returns the text of that name about n things, as HTML.
func (w *cardWriter) T(text string, n int64) string {
	c := count{text, n}
	said, ok := w.counts[c]
	if !ok {
		said = esc(w.voice.T(text, "n", n))
		w.counts[c] = said
	}
	return said
}

func (w *cardWriter) card(c gallery.Card) {
	p := c.Project
	id, handle := esc(string(p.ID)), esc(p.Handle)
	w.add("<li class=\"card\">\n")
	writeCover(w.out, p, cardSizes)
	w.add("\n<p class=\"card-title\"><a href=\"/p/", id, "\" dir=\"auto\"")
	if p.Lang != "" {
		w.add(" lang=\"", esc(p.Lang), "\"")
	}
	title := id
	if p.Title != "" {
		title = esc(p.Title)
	}
	w.add(">", title, "</a></p>\n")
	if w.title != "@"+p.Handle { // on the maker's own page
		w.add("<p class=\"card-maker\"><a href=\"/@", handle, "\">@", handle, "</a></p>\n")
	}
	w.add("<p class=\"card-counts\">")
	best, ok := w.bests[p.ID]
	if ok {
		w.add("<span>", string(bestOf(w.voice, best)), "</span>\n")
	}
	if c.Stats.Players > 0 {
		w.add("<span class=\"live\">", w.T("gallery.players", int64(c.Stats.Players)), "</span>\n")
	}
	if c.Stats.Plays > 0 && !ok { // a count of zero is not shown
		w.add("<span>", w.T("gallery.plays", c.Stats.Plays), "</span>\n")
	}
	if c.Stats.Likes > 0 && !ok {
		w.add("<span>", w.T("gallery.likes", c.Stats.Likes), "</span>")
	}
	w.add("</p>\n</li>\n")
}
