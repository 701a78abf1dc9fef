// Package wording looks for what nobody at home in a language would write: the
// wrong quotes and blanks, words that the service's texts have others for, and
// people addressed in two ways. Only tests use it.
package wording

import (
	"fmt"
	"regexp"
	"strings"
)

// A rule is a pattern that no text of a language matches, and what is wrong with it.
type rule struct {
	wrong *regexp.Regexp
	why   string
}

// Faults returns what is wrong with a text, in words. Its placeholders, its commands and what
// is written as in code are not looked at.
func Faults(lang, text string) (faults []string) {
	text = notWords.ReplaceAllString(text, "\ufffc")
	for _, r := range append(everywhere, languages[lang]...) {
		if found := r.wrong.FindString(text); found != "" {
			faults = append(faults, fmt.Sprintf("%s: %q", r.why, found))
		}
	}
	return faults
}

var notWords = regexp.MustCompile(`sandlot admin [a-z]+|\{[a-z]+\}|https?://|og:image`)

var everywhere = []rule{
	pattern("a straight quote or apostrophe", `["']`),
	pattern("dots instead of an ellipsis", `\.\.`),
	pattern("blanks beside each other, or at an end", `\s\s|^\s|\s$`),
}

// languages are the rules of each: its quotes and blanks, the words that are not used, and the one way to address people.
var languages = map[string][]rule{
	"en": {
		pattern("foreign quotes", `[„«»「」]`), blankBefore,
		words("another word is used", "e-mails?", "somebody", "nobody", "makers?", "authors?", "recovery address", "quarantine",
			"unlisted"),
		words("no contraction", "cannot", "can not", "is not", "are not", "was not", "were not", "do not", "does not", "did not",
			"has not", "have not", "will not"),
	},
	"de": {
		pattern("foreign quotes", `[”«»「」]|^[^„]*“`), blankBefore,
		words("another word is used", "handle", "e?mail", "knopf", "nichts wurde", "verbraucht", "erlöschen", "weggenommen",
			"anhalten", "gefällt mir", "quarantäne"),
		words("people are addressed with Sie", "du", "dich", "dir", "dein(?:e[mnrs]?)?", "ihr habt", "euch", "eure?"),
	},
	"es": {
		pattern("foreign quotes", `[“”„「」]`), blankBefore,
		words("another word is used", "email", "e-mail", "handle", "terminan de inmediato", "a la espera", "ordenador(?:es)?",
			"cuarentena"),
		words("people are addressed with tú", "usted(?:es)?", "vosotr[oa]s", "vuestr[oa]s?", "os", `\pL+[áé]is`),
	},
	"fr": {
		pattern("foreign quotes", `[“”„「」]`),
		pattern("no narrow unbreaking blank before ; ? !", `[^\x{202f}][;?!]`),
		pattern("no unbreaking blank before : » or behind «", `[^\x{a0}][:»]|«[^\x{a0}]`),
		words("another word is used", "email", "courriel", "handle", "réglages", "exploitant", "prend fin", "prennent fin", "pris fin",
			"quarantaine"),
		words("people are addressed with vous", "tu", "te", "toi", "ton", "ta", "tes"),
	},
	"pt": {
		pattern("foreign quotes", `[„«»「」]`), blankBefore,
		words("another word is used", "email", "handle", "acessos", "está à espera", "terminaram", "quarentena"),
		words("not Brazilian", "definições", "utilizador(?:es)?", "ficheiros?", "palavra-passe", "ecrã"),
		words("people are addressed with você", "tu", "te", "ti", "teus?", "tuas?", "contigo", "vós", "vossos?", "vossas?"),
	},
	"ja": {
		pattern("foreign quotes", `[“”„«»]`), narrow,
		pattern("another word is used", `プロジェクト|復旧用アドレス|この版|隔離|奪われ`),
		pattern("people are not addressed as あなた", `あなた`),
		pattern("a sentence that does not end politely", `(?:だ|である|する|[^まで]した|ない|れる|いる)。`),
	},
	"zh-Hans": {
		pattern("foreign quotes", `[„«»「」]`), narrow,
		pattern("another word is used", `账户|项目|找回邮箱|没有任何更改|画廊|代理|电子邮件|隔离`),
		pattern("people are addressed with 您", `你`),
	},
}

// blankBefore is what French alone has.
var blankBefore = pattern("a blank before a mark", `\s[:;?!,.]`)

// narrow are marks of half the width beside a character of full width, and such characters beside Latin ones without a blank.
var narrow = pattern("marks of half width, or no blank beside Latin letters",
	`[\p{Han}\p{Hiragana}\p{Katakana}][,:;?!()]|[,:;?!()][\p{Han}\p{Hiragana}\p{Katakana}]|`+
		`[\p{Han}\p{Hiragana}\p{Katakana}][A-Za-z0-9{]|[A-Za-z0-9}][\p{Han}\p{Hiragana}\p{Katakana}]`)

func pattern(why, wrong string) rule { return rule{regexp.MustCompile(wrong), why} }

// words is a rule against whole words, in any case.
func words(why string, list ...string) rule {
	return pattern(why, `(?i)(?:^|[^\pL-])(?:`+strings.Join(list, "|")+`)(?:[^\pL-]|$)`)
}
