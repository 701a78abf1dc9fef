package play

import (
	"embed"
	"html"
	"net/http"
	"strconv"

	"sandlot/internal/catalog"
	"sandlot/internal/publish"
)

// catalogs holds the texts of the pages of errors: a file for each language, named after it.
//
//go:embed texts/*.json
var catalogs embed.FS

// said is what a page of an error says.
type said struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

func openBook() *catalog.Texts[said] { return catalog.Open[said](catalogs, "texts/*.json") }

// nameOf is the name of the text for an error.
func nameOf(code publish.Code, status int) string {
	switch {
	case code == publish.CodeProjectNotFound:
		return "project"
	case code == publish.CodeTakenDown:
		return "taken-down"
	case code == publish.CodeBlobCorrupt:
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

// say answers with a small page of our own that has the text of that name, in the language that
// Accept-Language asks for. A language that somebody chose on the website is in a cookie, which
// never comes to a project's origin.
func (x *exchange) say(status int, name string) {
	lang, _ := x.book.Accepted(x.r.Header.Get("Accept-Language"))
	h := x.w.Header()
	h["Vary"] = varyLanguage
	if x.moves() {
		h["Vary"] = varyBrowserLanguage
	}
	x.show(status, lang, x.book.ByLang[lang][name])
}

// refuse answers with a page in English. It is for requests that only programs send.
func (x *exchange) refuse(status int, message string) {
	if x.moves() {
		x.w.Header()["Vary"] = varies(false, true)
	}
	x.show(status, catalog.Fallback, said{http.StatusText(status), message})
}

// errorStyle has the colours and the type of the website.
const errorStyle = `:root{color-scheme:light dark;--paper:#fbf9f5;--ink:#23211d;--quiet:#6a655c}` +
	`@media(prefers-color-scheme:dark){:root{--paper:#191816;--ink:#ece8e0;--quiet:#a39c90}}` +
	`body{margin:0;padding:20vh 1.25rem 1.25rem;font:1.125rem/1.6 ui-sans-serif,system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif;background:var(--paper);color:var(--ink);overflow-wrap:anywhere}` +
	`main{max-width:36rem;margin:auto}h1{margin:0;font-size:1.75rem;line-height:1.25}p{margin:.75rem 0 0;color:var(--quiet)}`

// show answers with a page that says something. Header fields that were set before stay.
func (x *exchange) show(status int, lang string, is said) {
	title := html.EscapeString(is.Title)
	body := `<!doctype html><html lang="` + lang + `" dir="ltr"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
		`<title>` + title + `</title><style>` + errorStyle + `</style><main><h1>` + title + `</h1><p>` + html.EscapeString(is.Text) + "</p></main></html>\n"
	h := x.headers(revalidate)
	h["Content-Type"] = pageType
	h.Set("Content-Language", lang)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	if x.r.Method != http.MethodHead {
		// An error means that the client is gone.
		_, _ = x.w.Write([]byte(body))
	}
}
