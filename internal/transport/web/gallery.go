package web

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
)

// profilePath is the prefix of the paths of profiles.
const profilePath = "/@"

func (l lists) routes() []route {
	return []route{
		{"GET", "/{$}", anyone, admission.Look, l.home},
		{"GET", "/tag/{tag}", anyone, admission.Look, l.tagged},
		{"GET", "/search", anyone, admission.Search, l.suggest},
		{"GET", "/feed.xml", stranger, admission.Look, l.feed},
		{"GET", "/tag/{tag}/feed.xml", stranger, admission.Look, l.feed},
	}
}

// A shelf is a list of projects for a template.
type shelf struct {
	gallery.Page
	of    *visit
	At    string   // the path of the list
	Tag   string   // that all projects have
	Tags  []string // links to other tags, on the page of a tag
	Query string   // the text of the search
	Sort  gallery.Sort
	After bool // whether it is not the first page
}

// AllWaiting reports whether all projects examined wait to be listed: there may be more.
func (s shelf) AllWaiting() bool { return s.Waiting >= gallery.MostWaiting }

// fewFound is the number of search results below which most of a page is empty.
const fewFound = 8

// Popular returns popular cards for a visitor whose list is empty or short.
func (s shelf) Popular() template.HTML {
	few := len(s.Cards) == 0 || s.Query != "" && len(s.Cards) < fewFound
	if !few || s.After || s.Next != "" {
		return ""
	}
	return s.of.lost.cards(s.of)
}

// maxQuery bounds a search in bytes: the service reads no more.
const maxQuery = 200

func wanted(query string) string {
	return strings.TrimSpace(strings.ToValidUTF8(query[:min(len(query), maxQuery)], ""))
}

// suggest sends the suggestions for the search text being typed, as a fragment of HTML.
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

// options returns projects as a list to choose from. All text of users is escaped.
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

// tagName is the prefix of the names of texts for known tags.
const tagName = "tag."

// Tag returns the name of a tag in the visit's language: a known tag has one in each language, others stay as their
// owners wrote them.
func (v *visit) Tag(tag string) string {
	if gallery.KnownTag(tag) {
		return v.T(tagName + tag)
	}
	return tag
}

// tagHeading returns the heading of a tag's page.
func tagHeading(v *visit, tag string) string {
	if gallery.KnownTag(tag) {
		return v.Tag(tag)
	}
	return isolated("#" + tag)
}

// tagWords returns tags as the text of a form field.
func tagWords(v *visit, tags sandlot.Tags) string {
	list := tags.List()
	for i, tag := range list {
		list[i] = v.Tag(tag)
	}
	return strings.Join(list, ", ")
}

// readTagWords returns the tags in the text of a form field. The name of a known tag in the visit's language stands for
// that tag.
func (v *visit) readTagWords(text string) []string {
	list := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",،、，;；\n", r) })
	list = slices.DeleteFunc(list, func(word string) bool { return strings.TrimSpace(word) == "" })
	for i, word := range list {
		for _, tag := range gallery.KnownTags() {
			if strings.EqualFold(strings.TrimSpace(word), v.T(tagName+tag)) {
				list[i] = tag
			}
		}
	}
	return list
}

// A feed is RSS 2.0, with the picture of each project in Media RSS.
type feed struct {
	XMLName xml.Name    `xml:"rss"`
	Version string      `xml:"version,attr"`
	DC      string      `xml:"xmlns:dc,attr"`
	Media   string      `xml:"xmlns:media,attr"`
	Atom    string      `xml:"xmlns:atom,attr"`
	Channel feedChannel `xml:"channel"`
}

type feedChannel struct {
	Title       string     `xml:"title"`
	Link        string     `xml:"link"`
	Description string     `xml:"description"`
	Lang        string     `xml:"language"`
	Self        feedSelf   `xml:"atom:link"`
	Items       []feedItem `xml:"item"`
}

type feedSelf struct {
	Href string `xml:"href,attr"`
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
}

type feedItem struct {
	Title   string       `xml:"title"`
	Link    string       `xml:"link"`
	GUID    string       `xml:"guid"`
	Date    string       `xml:"pubDate"`
	Creator string       `xml:"dc:creator"`
	Tags    []string     `xml:"category"`
	Picture *feedPicture `xml:"media:content"`
}

type feedPicture struct {
	URL    string `xml:"url,attr"`
	Medium string `xml:"medium,attr"`
	Type   string `xml:"type,attr"`
	Width  int    `xml:"width,attr"`
	Height int    `xml:"height,attr"`
}

// feed sends feed readers the newest projects, of all or of a tag.
func (l lists) feed(v *visit) error {
	tag := v.r.PathValue("tag")
	var page gallery.Page
	var err error
	if tag == "" {
		page, err = l.gallery.Browse(v.r.Context(), v.by, gallery.SortNewest, "")
	} else {
		page, err = l.gallery.Tagged(v.r.Context(), v.by, tag, gallery.SortNewest, "")
	}
	if err != nil {
		return err
	}
	base := v.places.Base.String()
	at, title := base+"/", "Sandlot: "+v.T("gallery.feed")
	if tag != "" {
		at, title = base+"/tag/"+url.PathEscape(tag), "Sandlot: "+v.T("gallery.tagged", "tag", v.Tag(tag))
	}
	self := feedSelf{base + v.r.URL.EscapedPath(), "self", "application/rss+xml"}
	body, err := xml.Marshal(feed{
		Version: "2.0", DC: "http://purl.org/dc/elements/1.1/", Media: "http://search.yahoo.com/mrss/", Atom: "http://www.w3.org/2005/Atom",
		Channel: feedChannel{Title: title, Link: at, Description: v.T("home.description"), Lang: v.Lang, Self: self, Items: feedItems(v.places, page.Cards)},
	})
	if err != nil {
		return err
	}
	return sendFeed(v, append([]byte(xml.Header), body...), page.Cards)
}

func feedItems(places sandlot.Places, cards []gallery.Card) (items []feedItem) {
	for _, c := range cards {
		of := c.Project
		at := places.Project(of.ID, of.Version, "").Page
		item := feedItem{Title: name(of), Link: at, GUID: at, Date: of.CreatedAt.UTC().Format(time.RFC1123Z), Creator: "@" + of.Handle, Tags: of.Tags.List()}
		if of.Cover != "" {
			kind := "image/jpeg"
			if of.Cover[:1] == sandlot.PNGPicture {
				kind = "image/png"
			}
			item.Picture = &feedPicture{places.Base.String() + "/i/" + of.Cover.File(640), "image", kind, 640, 360}
		}
		items = append(items, item)
	}
	return items
}

// sendFeed sends a feed, or 304 if the client has it.
func sendFeed(v *visit, body []byte, cards []gallery.Card) error {
	sum := sha256.Sum256(body)
	h := v.w.Header()
	h.Set("Cache-Control", "public, max-age=300"+sharedFor)
	h.Set("Vary", "Accept-Language")
	h.Set("Content-Language", v.Lang)
	if len(cards) > 0 { // the newest is the first
		h.Set("Last-Modified", cards[0].Project.CreatedAt.UTC().Format(http.TimeFormat))
	}
	if v.unchanged(base64.RawURLEncoding.EncodeToString(sum[:12])) {
		return nil
	}
	return v.send("application/rss+xml; charset=utf-8", body)
}
