package play

import (
	"embed"
	"html"
	"net/http"
	"net/url"
	"strings"

	"sandlot"
	"sandlot/internal/base/catalog"
	"sandlot/internal/format/names"
)

// catalogs holds the texts of the pages of errors: a file for each language, named after it.
//
//go:embed texts/*.json
var catalogs embed.FS

// said holds the text of the page of an error.
type said struct {
	Title string `json:"title"`
	Text  string `json:"text"`

	Behind *said     `json:"-"` // the text about the owner of the address; nil: none
	Ways   []wayText `json:"-"` // the ways out for the owner of a refused project
}

// A wayText is a text whose title is a link.
type wayText struct {
	said
	to string
}

func openBook() *catalog.Texts[said] { return catalog.Open[said](catalogs, "texts/*.json") }

// nameOf returns the name of the text for an error.
func nameOf(err error, code sandlot.Code, status int) string {
	switch {
	case code == sandlot.CodeHeld && sandlot.HeldRule(err) == sandlot.HeldFields:
		return "held-fields"
	case code == sandlot.CodeHeld:
		return "held"
	case code == sandlot.CodeProjectNotFound:
		return "project"
	case code == sandlot.CodeTakenDown:
		return "taken-down"
	case code == sandlot.CodeBlobCorrupt:
		return "damaged"
	case status == http.StatusNotFound:
		return "missing"
	case status == http.StatusTooManyRequests:
		return "too-many"
	case status == http.StatusServiceUnavailable:
		return "later"
	}
	return "fault"
}

// say answers with a small page of the service that has the text of that name, in the language of Accept-Language.
func (x *exchange) say(status int, name string) {
	lang, _ := x.book.Nearest(x.r.Header.Get("Accept-Language"))
	h := x.w.Header()
	h["Vary"] = varyLanguage
	if x.moves() {
		h["Vary"] = varyBrowserLanguage
	}
	texts := x.book.ByLang[lang]
	is := texts[name]
	if status == http.StatusNotFound || status == http.StatusUnavailableForLegalReasons || status == http.StatusOK {
		report := texts["report"]
		is.Behind = &report
	}
	if status == http.StatusUnavailableForLegalReasons && x.project.ID != "" {
		is.Ways = append(is.Ways, wayText{texts["appeal"], x.Places.Appeal(x.project.ID)})
		if x.Contact != "" {
			is.Ways = append(is.Ways, wayText{texts["contact"], x.Contact})
		}
	}
	x.show(status, lang, is)
}

// ServeApex answers a request to the content host itself, where there is no project, with a page about its owner.
func (h *Handler) ServeApex(w http.ResponseWriter, r *http.Request) {
	x := exchange{Handler: h, w: w, r: r, root: "/"}
	switch {
	case !x.takes(allowed):
	case r.URL.Path == securityPath:
		x.redirect(http.StatusTemporaryRedirect, x.Places.Base.String()+securityPath)
	case r.URL.Path == reportPath:
		x.redirect(http.StatusTemporaryRedirect, x.Places.Base.String()+reportPath)
	case r.URL.Path == "/":
		x.say(http.StatusOK, "apex")
	default:
		x.notFound()
	}
}

// securityPath is the path of the website's security.txt (RFC 9116). Projects without such a file redirect to it.
const securityPath = "/.well-known/security.txt"

// behind returns HTML about the owner of this address, with a link to the form that reports it.
func (x *exchange) behind(is said) string {
	base := html.EscapeString(x.Places.Base.String())
	report := base + "/report"
	if label, ok := x.Label(x.r.Host); ok && x.place != onPath {
		if id, _, _, ok := names.ParseLabel(label); ok {
			report += "?project=" + id
		}
	} else if x.project.ID != "" {
		report += "?project=" + string(x.project.ID)
	}
	host := `<a href="` + base + `/">` + html.EscapeString(x.Places.Base.Host) + "</a>"
	return "<p>" + strings.ReplaceAll(html.EscapeString(is.Text), "{host}", host) + ` <a href="` + report + `">` +
		html.EscapeString(is.Title) + "</a></p>"
}

// refuse answers with a page in English. It is for requests that only programs send.
func (x *exchange) refuse(status int, message string) {
	if x.moves() {
		x.w.Header()["Vary"] = varyBrowser
	}
	x.show(status, catalog.Fallback, said{Title: http.StatusText(status), Text: message})
}

// errorStyle has the colours and the type of the website.
const errorStyle = `:root{color-scheme:light dark;--paper:#fbf9f5;--ink:#23211d;--quiet:#6a655c}` +
	`@media(prefers-color-scheme:dark){:root{--paper:#191816;--ink:#ece8e0;--quiet:#a39c90}}` +
	`body{margin:0;padding:20vh 1.25rem 1.25rem;font:1.125rem/1.6 ui-sans-serif,system-ui,"Segoe UI",Roboto,"Noto Sans",` +
	`sans-serif;background:var(--paper);color:var(--ink);overflow-wrap:anywhere}` +
	`a{color:inherit}main{max-width:36rem;margin:auto}h1{margin:0;font-size:1.75rem;line-height:1.25}` +
	`p{margin:.75rem 0 0;color:var(--quiet)}`

// show answers with a page of a title and a text. It keeps header fields that were set before.
func (x *exchange) show(status int, lang string, is said) {
	title := html.EscapeString(is.Title)
	text := strings.ReplaceAll(html.EscapeString(is.Text), "{host}", html.EscapeString(x.Places.Base.Host))
	body := `<!doctype html><html lang="` + lang + `" dir="ltr"><meta charset="utf-8">` +
		`<meta name="viewport" content="width=device-width, initial-scale=1"><title>` + title + `</title><style>` +
		errorStyle + `</style><main><h1>` + title + `</h1><p>` + text + "</p>"
	for _, way := range is.Ways {
		body += "<p>" + html.EscapeString(way.Text) + ` <a href="` + html.EscapeString(way.to) + `">` + html.EscapeString(way.Title) + "</a></p>"
	}
	if is.Behind != nil {
		body += x.behind(*is.Behind)
	}
	body += "</main></html>\n"
	h := x.headers(revalidate)
	if h["Connection-Allowlist"] != nil {
		h["Connection-Allowlist"] = x.siteConnections
	}
	h.Set("Content-Language", lang)
	x.write(status, pageType, []byte(body))
}

// reportPath is the path of the website's form for reports. Projects without such a file lead to it, also those that
// nobody sees.
const reportPath = "/report"

// leadToReport leads to the form, with the address of the origin that has this label.
func leadToReport(x *exchange, label string) {
	address, at, aside := x.Places.Origin(label)+"/", *x.r.URL, *x
	at.RawQuery = "" // a redirect passes it on
	r := *x.r
	r.URL, aside.r = &at, &r
	aside.redirect(http.StatusTemporaryRedirect, x.Places.Base.String()+reportPath+"?project="+url.QueryEscape(address))
}
