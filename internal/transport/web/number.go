package web

import (
	"strconv"
	"strings"

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

// numberOf writes a whole number as a language does.
func numberOf(lang string, n int64) string {
	how := notationOf(lang)
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

// tenthsOf writes a number of tenths with its decimal.
func tenthsOf(lang string, tenths int64) string {
	return numberOf(lang, tenths/10) + notationOf(lang).decimal + strconv.FormatInt(tenths%10, 10)
}
