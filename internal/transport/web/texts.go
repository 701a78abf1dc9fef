package web

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"sandlot/internal/base/catalog"
)

// Words are what a page says, in one language. {name} in it stands for an argument. A text that speaks of n things has
// a form for each of CLDR's categories that the language uses for whole numbers; one of one form fits any number.
type words map[string]string

// UnmarshalJSON takes a text of one form as a string.
func (t *words) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = words{"other": s}
		return nil
	}
	return json.Unmarshal(b, (*map[string]string)(t))
}

// A book holds the texts of all languages.
type book struct{ *catalog.Texts[words] }

// openBook reads texts/{area}/{lang}.json, once in each process.
var openBook = sync.OnceValue(func() *book { return &book{catalog.Open[words](files, "texts/*/*.json")} })

// words returns a text with all its forms.
func (b *book) words(lang, name string) words {
	if t, ok := b.ByLang[lang][name]; ok {
		return t
	}
	return b.ByLang[catalog.Fallback][name]
}

// say returns a text with its arguments, which are names and values in turns.
func (b *book) say(lang, name string, args ...any) string {
	return b.fill(lang, b.form(lang, name, args), args, fmt.Sprint)
}

// sayHTML is say in HTML: all is escaped, except arguments that are HTML themselves.
func (b *book) sayHTML(lang, name string, args ...any) template.HTML {
	said := template.HTMLEscapeString(b.form(lang, name, args))
	return template.HTML(b.fill(lang, said, args, func(arg ...any) string {
		if done, ok := arg[0].(template.HTML); ok {
			return string(done)
		}
		return template.HTMLEscaper(arg...)
	}))
}

// form returns the form of a text for its argument n.
func (b *book) form(lang, name string, args []any) string {
	t := b.words(lang, name)
	for i := 0; i+1 < len(args); i += 2 {
		if n, counted := toInt(args[i+1]); counted && args[i] == "n" {
			if form, has := t[formOf(lang, n)]; has {
				return form
			}
		}
	}
	return t["other"]
}

// fill puts the arguments into a text: n as the language writes numbers, all others as write does.
func (b *book) fill(lang, said string, args []any, write func(...any) string) string {
	pairs := make([]string, 0, len(args))
	for i := 0; i+1 < len(args); i += 2 {
		written := ""
		if n, counted := toInt(args[i+1]); counted && args[i] == "n" {
			written = numberOf(lang, n)
		} else {
			written = write(args[i+1])
		}
		pairs = append(pairs, "{"+fmt.Sprint(args[i])+"}", written)
	}
	if len(pairs) == 2 { // as most have
		return strings.ReplaceAll(said, pairs[0], pairs[1])
	}
	return strings.NewReplacer(pairs...).Replace(said)
}

func toInt(v any) (int64, bool) {
	switch n := v.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}
