// Package texts holds the texts of the pages in all languages, and formats numbers, times and sizes as each language
// does.
package texts

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"unicode"

	"sandlot/internal/base/catalog"
)

//go:embed */*.json
var files embed.FS

// Words holds one text in one language. {name} in it stands for an argument. A text that counts n things has a form for
// each CLDR category that the language uses for whole numbers; a text of one form fits any number.
type Words struct {
	One   string `json:"one,omitempty"`
	Many  string `json:"many,omitempty"`
	Other string `json:"other"`
}

// UnmarshalJSON also takes a string, as a text of one form.
func (t *Words) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &t.Other) == nil {
		return nil
	}
	type forms Words
	return json.Unmarshal(b, (*forms)(t))
}

// A Book has the texts of all languages, by language and name. It never changes, and may be used concurrently.
type Book = catalog.Texts[Words]

// Open reads {area}/{lang}.json, once in each process.
var Open = sync.OnceValue(func() *Book { return catalog.Open[Words](files, "*/*.json") })

// A Voice returns the texts of the book in one language.
type Voice struct{ Lang string }

// T returns the text of that name with its arguments, which are alternating names and values.
func (v Voice) T(name string, args ...any) string {
	return v.fill(v.form(name, args), args, fmt.Sprint)
}

// Rich returns the text as HTML: everything is escaped, except arguments that are HTML themselves.
func (v Voice) Rich(name string, args ...any) template.HTML {
	said := template.HTMLEscapeString(v.form(name, args))
	return template.HTML(v.fill(said, args, func(arg ...any) string {
		if done, ok := arg[0].(template.HTML); ok {
			return string(done)
		}
		return template.HTMLEscaper(arg...)
	}))
}

// Forms returns the forms of a text as a JSON object by category, for scripts that count.
func (v Voice) Forms(name string) string {
	forms, _ := json.Marshal(v.words(name)) // texts always encode
	return string(forms)
}

// Complete reports whether the text of that name exists and these arguments fill all its placeholders.
func (v Voice) Complete(name string, args ...any) bool {
	if _, ok := Open().ByLang[catalog.Fallback][name]; !ok {
		return false
	}
	left := v.form(name, args)
	for i := 0; i+1 < len(args); i += 2 {
		left = strings.ReplaceAll(left, "{"+fmt.Sprint(args[i])+"}", "")
	}
	return !strings.Contains(left, "{")
}

// words returns a text with all its forms, in the fallback language if need be.
func (v Voice) words(name string) Words {
	if t, ok := Open().ByLang[v.Lang][name]; ok {
		return t
	}
	return Open().ByLang[catalog.Fallback][name]
}

// form returns the form of a text for its argument n.
func (v Voice) form(name string, args []any) string {
	t := v.words(name)
	for i := 0; i+1 < len(args); i += 2 {
		if n, counted := toInt(args[i+1]); counted && args[i] == "n" {
			switch formOf(v.Lang, n) {
			case "one":
				return cmp.Or(t.One, t.Other)
			case "many":
				return cmp.Or(t.Many, t.Other)
			}
		}
	}
	return t.Other
}

// fill replaces the placeholders of a text: n in the language's number format, all others by write.
func (v Voice) fill(said string, args []any, write func(...any) string) string {
	pairs := make([]string, 0, len(args))
	for i := 0; i+1 < len(args); i += 2 {
		written := ""
		if n, counted := toInt(args[i+1]); counted && args[i] == "n" {
			written = v.Whole(n)
		} else {
			written = write(args[i+1])
		}
		pairs = append(pairs, "{"+fmt.Sprint(args[i])+"}", written)
	}
	if len(pairs) == 2 { // the case of most texts
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

// Legible returns a character, or a sign in place of a misleading character: it is invisible, or changes the direction.
func Legible(r rune) rune {
	if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || strings.ContainsRune("\u200b\ufeff\u2028\u2029", r)) {
		return '\ufffd'
	}
	return r
}

// Isolated returns a stranger's text with marks that keep its direction apart from the text around it, for places without elements.
func Isolated(text string) string { return "\u2068" + text + "\u2069" }
