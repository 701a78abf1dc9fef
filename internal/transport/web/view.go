package web

import (
	"html/template"
	"math"
	"strings"
	"time"
)

// A view is what a template sees: the visit's language and login, and the page's
// own data.
type view struct {
	*visit
	Title string
	Data  any
}

// Lang is the language of the page.
func (v view) Lang() string { return v.lang }

// Me is the visitor's login; nil without one.
func (v view) Me() *login { return v.me }

// Base is the address of the website.
func (v view) Base() string { return v.Places.Base.String() }

// Path is the path of the page.
func (v view) Path() string { return v.r.URL.Path }

// A graph is what a page tells of itself where somebody shares it.
type graph struct{ Title, About, Page, Picture string }

// Graph is that of a page at an address, with its picture there.
func (v view) Graph(title, about, page, picture string) graph {
	return graph{title, about, page, picture}
}

// Number writes a whole number as the language does.
func (v view) Number(n any) string {
	whole, _ := toInt(n)
	return numberOf(v.lang, whole)
}

// Date writes a day as the language does. It is that of UTC; in a browser, times.js makes it the visitor's.
func (v view) Date(t time.Time) template.HTML { return timeElement("day", t, v.day(t.UTC())) }

// Time writes a day and a time of day with its zone. That is UTC; in a browser, times.js makes it the visitor's.
func (v view) Time(t time.Time) template.HTML {
	t = t.UTC()
	return timeElement("time", t, v.T("date.time", "day", v.day(t), "time", t.Format("15:04"), "zone", "UTC"))
}

func (v view) day(t time.Time) string {
	months := strings.Split(v.T("date.months"), " ")
	return v.T("date.day", "d", v.T("date.nth", "n", t.Day()), "m", months[t.Month()-1], "y", t.Format("2006"))
}

// timeElement is a moment for people and for scripts. What is written comes from the catalogs alone.
func timeElement(as string, t time.Time, written string) template.HTML {
	return template.HTML(`<time data-as="` + as + `" datetime="` + t.UTC().Format(time.RFC3339) + `">` + template.HTMLEscapeString(written) + `</time>`)
}

// Rich is a text in which arguments may be HTML: a Date or a Time.
func (v view) Rich(name string, args ...any) template.HTML {
	return v.book.sayHTML(v.lang, name, args...)
}

// Size writes a number of bytes for people, in units of 1,024 as limits are set in: 100 MiB is "100 MB". Scripts write sizes alike.
func (v view) Size(bytes int64) string {
	if bytes < 1000 {
		return v.T("size.bytes", "n", bytes)
	}
	units, n, i := strings.Split(v.T("size.units"), " "), float64(bytes)/1024, 0
	for ; math.Round(n) >= 1000 && i < len(units)-1; i++ {
		n /= 1024
	}
	written := numberOf(v.lang, int64(math.Round(n)))
	if tenths := int64(math.Round(n * 10)); tenths < 1000 && tenths%10 != 0 {
		written = tenthsOf(v.lang, tenths)
	}
	return written + "\u00a0" + units[i]
}

// isolated keeps the direction of a text that somebody has written from what stands around it, where no element can.
func isolated(text string) string { return "\u2068" + text + "\u2069" }
