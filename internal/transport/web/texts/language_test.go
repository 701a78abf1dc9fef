package texts

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/base/catalog"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/wording"
)

// notWritten are what is not written in words: names of months and units, and how dates and times are put together.
var notWritten = regexp.MustCompile(`^(?:date|size)\.|^figures\.(?:hours|minutes|seconds)`)

// TestRegression42NoTextBreaksARuleOfItsLanguage: German, Chinese and Portuguese pages addressed people in two
// ways, French blanks broke lines, and one thing had several names.
func TestRegression42NoTextBreaksARuleOfItsLanguage(t *testing.T) {
	t.Parallel()
	for lang, texts := range Open().ByLang {
		for name, forms := range texts {
			for _, form := range forms {
				for _, fault := range wording.Faults(lang, form) {
					t.Errorf("%s in %s has %s", name, lang, fault)
				}
			}
		}
	}
}

// glossary has the words for things, by texts that say hardly more.
var glossary = map[string]map[string]string{
	"account.overview":       {"en": "Projects", "de": "Projekte", "es": "Proyectos", "fr": "Projets", "pt": "Projetos", "ja": "作品", "zh-Hans": "作品"},
	"own.version":            {"en": "Version", "de": "Version", "es": "Versión", "fr": "Version", "pt": "Versão", "ja": "バージョン", "zh-Hans": "版本"},
	"gallery.likes":          {"en": "like", "de": "Like", "es": "me gusta", "fr": "j’aime", "pt": "curtida", "ja": "いいね", "zh-Hans": "赞"},
	"gallery.plays":          {"en": "play", "de": "-mal gespielt", "es": "partida", "fr": "partie", "pt": "partida", "ja": "プレイ", "zh-Hans": "次游玩"},
	"gallery.players":        {"en": "playing now", "de": "gerade", "es": "jugando ahora", "fr": "en train de jouer", "pt": "jogando agora", "ja": "プレイ中", "zh-Hans": "正在玩"},
	"settings.handle":        {"en": "Handle", "de": "Benutzername", "es": "Nombre de usuario", "fr": "Nom d’utilisateur", "pt": "Nome de usuário", "ja": "ハンドル", "zh-Hans": "用户名"},
	"settings.handle-label":  {"en": "handle", "de": "Benutzername", "es": "nombre de usuario", "fr": "nom d’utilisateur", "pt": "nome de usuário", "ja": "ハンドル", "zh-Hans": "用户名"},
	"settings.handle-taken":  {"en": "handle", "de": "Benutzername", "es": "nombre de usuario", "fr": "nom d’utilisateur", "pt": "nome de usuário", "ja": "ハンドル", "zh-Hans": "用户名"},
	"keys.title":             {"en": "API keys", "de": "API-Schlüssel", "es": "Claves de API", "fr": "Clés d’API", "pt": "Chaves de API", "ja": "API キー", "zh-Hans": "API 密钥"},
	"own.listed":             {"en": "gallery", "de": "Galerie", "es": "galería", "fr": "galerie", "pt": "galeria", "ja": "ギャラリー", "zh-Hans": "作品库"},
	"report.send":            {"en": "report", "de": "Meldung", "es": "denuncia", "fr": "signalement", "pt": "denúncia", "ja": "報告", "zh-Hans": "举报"},
	"error.taken-down.title": {"en": "Taken down", "de": "Gesperrt", "es": "Retirado", "fr": "Retiré", "pt": "Fora do ar", "ja": "公開停止", "zh-Hans": "已下架"},
	"settings.email":         {"en": "Recovery email", "de": "Wiederherstellungsadresse", "es": "Dirección de recuperación", "fr": "Adresse de récupération", "pt": "Endereço de recuperação", "ja": "復旧用メールアドレス", "zh-Hans": "恢复邮箱"},
	"undo.done":              {"en": "recovery email", "de": "Wiederherstellungsadresse", "es": "dirección de recuperación", "fr": "adresse de récupération", "pt": "endereço de recuperação", "ja": "復旧用メールアドレス", "zh-Hans": "恢复邮箱"},
}

func TestRegression42OneWordForEachThing(t *testing.T) {
	t.Parallel()
	b := Open()
	for name, words := range glossary {
		for _, lang := range b.Langs {
			for category, form := range b.ByLang[lang][name] {
				if words[lang] == "" || !strings.Contains(form, words[lang]) {
					t.Errorf("%s (%s) in %s has no %q: %q", name, category, lang, words[lang], form)
				}
			}
		}
	}
}

// sameAsEnglish are the texts that a language has in common with English, by chance.
var sameAsEnglish = map[string][]string{
	"de": {"figures.likes", "figures.version", "settings.link", "account.likes", "gallery.likes", "like.like", "keys.name", "own.version", "project.version", "own.version-of", "own.details", "own.diff-text", "own.name", "own.tags", "tag.3d", "tag.action", "tag.demo", "tag.shooter", "tag.simulation", "home.curl", "gallery.tags"},
	"es": {"home.curl", "gallery.tags", "tag.3d", "tag.demo"},
	"ja": {"home.curl", "gallery.tags", "tag.3d", "tag.rpg"}, "pt": {"figures.site", "settings.link", "home.curl", "gallery.tags", "own.tags", "tag.3d", "tag.demo", "tag.rpg"}, "zh-Hans": {"home.curl", "gallery.tags", "tag.3d"},
	"fr": {"foot.docs", "figures.site", "figures.version", "home.curl", "gallery.tags", "own.version", "project.version", "own.versions", "own.description", "own.version-of", "own.more-options", "own.tags", "tag.3d", "tag.action", "tag.art", "tag.simulation"},
}

var (
	latin  = regexp.MustCompile(`\{[a-z]+\}|[A-Za-z][A-Za-z0-9.]+`)
	common = []string{"API", "AI", "curl", "llms.txt", "HTML", "HTTP", "HTTPS", "index.html", "name", "example.com", "dist", "ID", "QR", "URL", "ZIP", "UTC", "Sandlot", "base64", "gzip", "JavaScript", "RPG", "PNG", "JPEG", "WebP", "MB", "GB", "WASD", "viewport", "meta", "CSV", "https", "http", "og", "image", "cover", "en", "ja", "pt", "BR", "zh", "Hans"}
)

func TestRegression42NothingWasLeftInEnglish(t *testing.T) {
	t.Parallel()
	b := Open()
	for _, lang := range b.Langs[1:] {
		for name, forms := range b.ByLang[lang] {
			if notWritten.MatchString(name) {
				continue
			}
			for _, form := range forms {
				if same := form == b.ByLang[catalog.Fallback][name]["other"]; same != (same && slices.Contains(sameAsEnglish[lang], name)) {
					t.Errorf("%s in %s is as in English: %q", name, lang, form)
				}
				if lang != "ja" && lang != "zh-Hans" {
					continue
				}
				for _, word := range latin.FindAllString(form, -1) {
					if word[0] != '{' && !slices.Contains(common, word) {
						t.Errorf("%s in %s has the word %q", name, lang, word)
					}
				}
			}
		}
	}
}

// anyNumber are the texts with a number in one form that fits each, and why: it is a day, or always the same number and
// more than one, or stands behind a colon, or says "and so many more".
var anyNumber = []string{
	"date.nth", "keys.name-bad", "new.count", "own.beyond", "own.description-long", "own.diff-cut", "report.details-bad", "report.details-hint", "settings.line-long", "verify.more",
}

// TestRegression42TextsWithANumberHaveItsForms: see TestRegression42CountedTextsHaveEveryForm for which forms those are.
func TestRegression42TextsWithANumberHaveItsForms(t *testing.T) {
	t.Parallel()
	for lang, texts := range Open().ByLang {
		for name, forms := range texts {
			counted := strings.Contains(forms["other"], "{n}")
			if counted && len(forms) < len(formsOf(lang)) && !slices.Contains(anyNumber, name) {
				t.Errorf("%s in %s has one form for all numbers: %q", name, lang, forms["other"])
			}
		}
	}
	for _, name := range anyNumber {
		if !strings.Contains(Open().ByLang[catalog.Fallback][name]["other"], "{n}") {
			t.Errorf("%s has no number", name)
		}
	}
}

// TestRegression42TheNoticePageNamesTheLinkAsTheMessageDoes: it sends people to a link of the message by its words.
func TestRegression42TheNoticePageNamesTheLinkAsTheMessageDoes(t *testing.T) {
	t.Parallel()
	b := Open()
	for _, lang := range b.Langs {
		data, err := os.ReadFile("../../../storage/mail/messages/" + lang + ".json")
		var messages map[string]map[string]string
		if err == nil {
			err = json.Unmarshal(data, &messages)
		}
		expect.OK(t, err)
		if button := messages["email-notice"]["button"]; button == "" || !strings.Contains(Voice{lang}.T("not-me.notice"), button) {
			t.Errorf("in %s the button %q is not in %q", lang, button, Voice{lang}.T("not-me.notice"))
		}
	}
}
