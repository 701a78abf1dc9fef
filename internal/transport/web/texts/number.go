package texts

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"sandlot/internal/base/catalog"

	"golang.org/x/text/language"
)

// A notation is the number format of a language, after CLDR as browsers have it: scripts rewrite the server's numbers.
type notation struct {
	group, decimal string
	least          int // digits from which on a number is grouped
	tag            language.Tag
}

// notations holds the number formats of the website's languages; other languages use the fallback's.
var notations = map[string]notation{
	"en": {",", ".", 4, language.English}, "de": {".", ",", 4, language.German}, "es": {".", ",", 5, language.Spanish},
	"fr": {"\u202f", ",", 4, language.French}, "ja": {",", ".", 4, language.Japanese}, "pt": {".", ",", 4, language.Portuguese},
	"zh-Hans": {",", ".", 4, language.SimplifiedChinese},
}

func notationOf(lang string) notation {
	if how, ok := notations[lang]; ok {
		return how
	}
	return notations[catalog.Fallback]
}

// Number formats a whole number as the language does.
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
	if len(digits) >= how.least {
		for i := len(digits) - 3; i > 0; i -= 3 {
			digits = digits[:i] + how.group + digits[i:]
		}
	}
	return sign + digits
}

// Tenths formats a number of tenths with its decimal.
func (v Voice) Tenths(n int64) string {
	return v.Whole(n/10) + notationOf(v.Lang).decimal + strconv.FormatInt(n%10, 10)
}

// mostWhole is the number from which on a float64 does not have every whole number.
const mostWhole = 1 << 53

// Score formats a number with at most three decimals; one of over fifteen digits, or one below a thousandth, has an
// exponent.
func (v Voice) Score(n float64) string {
	size := math.Abs(n)
	if size >= mostWhole || size != 0 && size < .001 {
		return strings.Replace(strconv.FormatFloat(n, 'g', 4, 64), ".", notationOf(v.Lang).decimal, 1)
	}
	whole, part, _ := strings.Cut(strconv.FormatFloat(size, 'f', 3, 64), ".")
	digits, _ := strconv.ParseInt(whole, 10, 64)
	written := v.Whole(digits)
	if part = strings.TrimRight(part, "0"); part != "" {
		written += notationOf(v.Lang).decimal + part
	}
	if n < 0 && written != "0" {
		return "-" + written
	}
	return written
}

// Size formats a number of bytes in units of 1,024, like the settings of limits: 100 MiB is "100 MB". Scripts format
// sizes alike.
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

// Date formats a day of UTC as the language does; in a browser, times.js changes it to the visitor's day.
func (v Voice) Date(t time.Time) template.HTML { return timeElement("day", t, v.Day(t)) }

// Time formats a day and a time of day with the zone UTC; in a browser, times.js changes them to the visitor's zone.
func (v Voice) Time(t time.Time) template.HTML {
	t = t.UTC()
	return timeElement("time", t, v.T("date.time", "day", v.Day(t), "time", t.Format("15:04"), "zone", "UTC"))
}

// Day formats a day of UTC, which times.js leaves alone.
func (v Voice) Day(t time.Time) string {
	t = t.UTC()
	months := strings.Split(v.T("date.months"), " ")
	return v.T("date.day", "d", v.T("date.nth", "n", t.Day()), "m", months[t.Month()-1], "y", t.Format("2006"))
}

// timeElement returns a time element for people and for scripts. The written form comes from the catalogs alone.
func timeElement(as string, t time.Time, written string) template.HTML {
	const element = `<time data-as="%s" datetime="%s">%s</time>`
	return template.HTML(fmt.Sprintf(element, as, t.UTC().Format(time.RFC3339), template.HTMLEscapeString(written)))
}
