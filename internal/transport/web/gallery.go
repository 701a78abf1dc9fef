package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/transport/web/texts"
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
		fmt.Fprintf(&out, `<li role="option" id="found-%d" data-to="/p/%s">`, i, esc(string(p.ID)))
		writeCover(&out, p, foundSizes)
		fmt.Fprintf(&out, "<span><b dir=\"auto\">%s</b><small>@%s</small></span></li>\n", esc(name(p)), esc(p.Handle))
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
	return texts.Isolated("#" + tag)
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

// feeds renders feeds: RSS 2.0, with the picture of each project in Media RSS.
var feeds = sync.OnceValue(func() *texttemplate.Template {
	escape := func(text string) (string, error) {
		var out strings.Builder
		err := xml.EscapeText(&out, []byte(text))
		return out.String(), err
	}
	funcs := texttemplate.FuncMap{"xml": escape, "name": name}
	return texttemplate.Must(texttemplate.New("feed.xml").Funcs(funcs).ParseFS(files, "templates/feed.xml"))
})

// A feed holds the data of a feed.
type feed struct {
	Base, Title, At, About, Lang, Self string
	Projects                           []sandlot.Project
}

// Date returns the time at which a project was published, as RSS has it.
func (feed) Date(p sandlot.Project) string { return p.CreatedAt.UTC().Format(time.RFC1123Z) }

// Kind returns the type of a project's picture.
func (feed) Kind(p sandlot.Project) string {
	if p.Cover[:1] == sandlot.PNGPicture {
		return "image/png"
	}
	return "image/jpeg"
}

// feed sends feed readers the newest projects, of all or of a tag.
func (l lists) feed(v *visit) error {
	base := v.places.Base.String()
	f := feed{
		Base: base, At: base + "/", Title: v.brand.Called() + ": " + v.T("gallery.feed"), About: v.T("home.description"), Lang: v.Lang,
		Self: base + v.r.URL.EscapedPath(),
	}
	tag := v.r.PathValue("tag")
	var page gallery.Page
	var err error
	if tag == "" {
		page, err = l.gallery.Browse(v.r.Context(), v.by, gallery.SortNewest, "")
	} else {
		f.At, f.Title = base+tagPath+url.PathEscape(tag), v.brand.Called()+": "+v.T("gallery.tagged", "tag", v.Tag(tag))
		page, err = l.gallery.Tagged(v.r.Context(), v.by, tag, gallery.SortNewest, "")
	}
	if err != nil {
		return err
	}
	for _, c := range page.Cards {
		f.Projects = append(f.Projects, c.Project)
	}
	var body bytes.Buffer
	if err := feeds().Execute(&body, f); err != nil {
		return err
	}
	sum := sha256.Sum256(body.Bytes())
	h := v.w.Header()
	h.Set("Cache-Control", "public, max-age=300"+sharedFor)
	h.Set("Vary", "Accept-Language")
	h.Set("Content-Language", v.Lang)
	if v.unchanged(base64.RawURLEncoding.EncodeToString(sum[:12])) {
		return nil
	}
	return v.send("application/rss+xml; charset=utf-8", body.Bytes())
}
