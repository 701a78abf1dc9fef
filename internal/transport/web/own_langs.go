package web

import "slices"

// A langChoice is a language of a project, with its native name.
type langChoice struct{ Code, Name string }

// projectLangs lists the languages offered by name; a program may set any other. The tables of x/text/language/display
// would take 2.3 MB of the binary.
var projectLangs = [...]langChoice{
	{"ar", "العربية"},
	{"bg", "Български"},
	{"bn", "বাংলা"},
	{"ca", "Català"},
	{"cs", "Čeština"},
	{"da", "Dansk"},
	{"de", "Deutsch"},
	{"el", "Ελληνικά"},
	{"en", "English"},
	{"es", "Español"},
	{"et", "Eesti"},
	{"eu", "Euskara"},
	{"fa", "فارسی"},
	{"fi", "Suomi"},
	{"fil", "Filipino"},
	{"fr", "Français"},
	{"gl", "Galego"},
	{"he", "עברית"},
	{"hi", "हिन्दी"},
	{"hr", "Hrvatski"},
	{"hu", "Magyar"},
	{"id", "Bahasa Indonesia"},
	{"it", "Italiano"},
	{"ja", "日本語"},
	{"ko", "한국어"},
	{"lt", "Lietuvių"},
	{"lv", "Latviešu"},
	{"mr", "मराठी"},
	{"ms", "Bahasa Melayu"},
	{"nb", "Norsk bokmål"},
	{"nl", "Nederlands"},
	{"pl", "Polski"},
	{"pt", "Português"},
	{"pt-BR", "Português (Brasil)"},
	{"ro", "Română"},
	{"ru", "Русский"},
	{"sk", "Slovenčina"},
	{"sl", "Slovenščina"},
	{"sr", "Српски"},
	{"sv", "Svenska"},
	{"sw", "Kiswahili"},
	{"ta", "தமிழ்"},
	{"te", "తెలుగు"},
	{"th", "ไทย"},
	{"tr", "Türkçe"},
	{"uk", "Українська"},
	{"ur", "اردو"},
	{"vi", "Tiếng Việt"},
	{"zh-Hans", "简体中文"},
	{"zh-Hant", "繁體中文"},
}

// Lang returns the language in the form; empty: none.
func (p ownPage) Lang() string {
	if p.Said.Lang == nil {
		return ""
	}
	return *p.Said.Lang
}

// Langs returns the languages that the form offers, including the current one.
func (p ownPage) Langs() []langChoice {
	list, lang := projectLangs[:], p.Lang()
	if lang == "" || slices.ContainsFunc(list, func(l langChoice) bool { return l.Code == lang }) {
		return list
	}
	return append([]langChoice{{lang, lang}}, list...)
}
