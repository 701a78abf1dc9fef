package texts

import (
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"sandlot/internal/base/catalog"
)

// A notation is how a language writes numbers, after CLDR as browsers have it: what the server writes, scripts write again.
type notation struct {
	group, decimal string
	least          int // digits that a number has at least to be grouped
}

// notations are those of our languages; the fallback's serves where there is none.
var notations = map[string]notation{
	"en": {",", ".", 4}, "de": {".", ",", 4}, "es": {".", ",", 5}, "fr": {"\u202f", ",", 4},
	"ja": {",", ".", 4}, "pt": {".", ",", 4}, "zh-Hans": {",", ".", 4},
}

func notationOf(lang string) notation {
	if how, ok := notations[lang]; ok {
		return how
	}
	return notations[catalog.Fallback]
}

// Number writes a whole number as the language does.
func (v Voice) Number(n any) string {
	whole, _ := toInt(n)
	return v.Whole(whole)
}

// Whole is Number for an int64.
func (v Voice) Whole(n int64) string {
	how := notationOf(v.Lang)
	digits, sign := strconv.FormatInt(n, 10), ""
	if n < 0 {
		digits, sign = digits[1:], "-"
	}
	if len(digits) < how.least {
		return sign + digits
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range []byte(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(how.group)
		}
		b.WriteByte(digit)
	}
	return b.String()
}

// Tenths writes a number of tenths with its decimal.
func (v Voice) Tenths(n int64) string {
	return v.Whole(n/10) + notationOf(v.Lang).decimal + strconv.FormatInt(n%10, 10)
}

// Size writes a number of bytes in units of 1,024, as limits are set in: 100 MiB is "100 MB". Scripts write sizes alike.
func (v Voice) Size(bytes int64) string {
	if bytes < 1000 {
		return v.T("size.bytes", "n", bytes)
	}
	units, n, i := strings.Split(v.T("size.units"), " "), float64(bytes)/1024, 0
	for ; math.Round(n) >= 1000 && i < len(units)-1; i++ {
		n /= 1024
	}
	written := v.Whole(int64(math.Round(n)))
	if tenths := int64(math.Round(n * 10)); tenths < 1000 && tenths%10 != 0 {
		written = v.Tenths(tenths)
	}
	return written + "\u00a0" + units[i]
}

// Date writes a day as the language does. It is that of UTC; in a browser, times.js makes it the visitor's.
func (v Voice) Date(t time.Time) template.HTML { return timeElement("day", t, v.Day(t)) }

// Time writes a day and a time of day with its zone. That is UTC; in a browser, times.js makes it the visitor's.
func (v Voice) Time(t time.Time) template.HTML {
	t = t.UTC()
	return timeElement("time", t, v.T("date.time", "day", v.Day(t), "time", t.Format("15:04"), "zone", "UTC"))
}

// Day writes a day of UTC, which stays that wherever it is read.
func (v Voice) Day(t time.Time) string {
	t = t.UTC()
	months := strings.Split(v.T("date.months"), " ")
	return v.T("date.day", "d", v.T("date.nth", "n", t.Day()), "m", months[t.Month()-1], "y", t.Format("2006"))
}

// timeElement is a moment for people and for scripts. The written form comes from the catalogs alone.
func timeElement(as string, t time.Time, written string) template.HTML {
	return template.HTML(`<time data-as="` + as + `" datetime="` + t.UTC().Format(time.RFC3339) + `">` + template.HTMLEscapeString(written) + `</time>`)
}
