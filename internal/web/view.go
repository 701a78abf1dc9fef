package web

import (
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
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

// Base is the address of the site.
func (v view) Base() string { return v.Places.Base.String() }

// Number writes a number as the language does.
func (v view) Number(n any) string { return v.book.printers[v.lang].Sprint(n) }

// Date writes a day as the language does.
func (v view) Date(t time.Time) string {
	months := strings.Split(v.T("date.months"), " ")
	return v.T("date.day", "d", t.Day(), "m", months[t.Month()-1], "y", t.Format("2006"))
}

// Time writes a day and a time of day, in UTC.
func (v view) Time(t time.Time) string {
	return v.T("date.time", "day", v.Date(t.UTC()), "time", t.UTC().Format("15:04"))
}

// Size writes a number of bytes for people.
func (v view) Size(bytes int64) string {
	units, n, i := []string{"B", "KB", "MB", "GB", "TB"}, float64(bytes), 0
	for ; n >= 1000 && i < len(units)-1; i++ {
		n /= 1000
	}
	if i == 0 || n >= 100 {
		return v.book.printers[v.lang].Sprintf("%.0f %s", n, units[i])
	}
	return v.book.printers[v.lang].Sprintf("%.1f %s", n, units[i])
}

func printerOf(lang string) *message.Printer { return message.NewPrinter(language.Make(lang)) }
