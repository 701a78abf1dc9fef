package paper

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

var langs = []string{"de", "en"}

// folder holds files of these names; a name that ends in / is a folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			expect.OK(t, os.Mkdir(at, 0o755))
			continue
		}
		expect.OK(t, os.WriteFile(at, []byte(text), 0o644))
	}
	return dir
}

func TestAPaperIsFoundInTheLanguageOfItsReader(t *testing.T) {
	papers, err := Read(folder(t, map[string]string{
		"about.md": "\ufeff# About *us*\n\nHello, [you](mailto:a@example.com).\n", "about.de.md": "# Impressum", "terms.en.html": "<p>Be kind.", "privacy.de.html": "<h1>Daten</h1>", "privacy.en.md": "Data", "README.md": "no paper",
	}), langs)
	expect.OK(t, err)
	expect.Equal(t, "there are", papers.String(), "about.de, about, terms.en, privacy.de, privacy.en")
	for _, tc := range []struct{ name, lang, title, body string }{
		{"about", "de", "Impressum", "<h1>Impressum</h1>\n"},
		{"about", "en", "About us", "<h1>About <em>us</em></h1>\n<p>Hello, <a href=\"mailto:a@example.com\">you</a>.</p>\n"},
		{"terms", "de", "", "<p>Be kind.</p>"},
		{"privacy", "fr", "Daten", "<h1>Daten</h1>"},
	} {
		got, ok := papers.Find(tc.name, tc.lang)
		if !ok || got.Title != tc.title || string(got.Body) != tc.body {
			t.Errorf("%s in %s is %+v, %v", tc.name, tc.lang, got, ok)
		}
	}
	if _, ok := papers.Find("imprint", "en"); ok {
		t.Error("there is one that is none")
	}
	none, err := Read("", langs)
	expect.OK(t, err)
	if _, ok := none.Find("about", "en"); ok {
		t.Error("without a folder there is one")
	}
}

func TestWhatAPaperMayHold(t *testing.T) {
	for source, want := range map[string]string{
		"<p class='x' id=a>a<b>c</p>":                      `<p id="a">a<b>c</b></p>`,
		"a\n\n| b | c |\n|:-:|--:|\n| 1 | 2 |":             "<td>1</td>",
		"</article></main><h2>x":                           "<h2>x</h2>",
		"`<script>`":                                       "<code>&lt;script&gt;</code>",
		"https://example.com":                              `<a href="https://example.com">`,
		"<!-- a note -->x":                                 "x",
		strings.Repeat("<div>", 200) + "deep":              "deep",
		"[top](#a) [docs](/docs) [call](tel:+491234)":      `<a href="#a">top</a>`,
		"<div lang=en dir=ltr><ol start=3><li>x</li></ol>": `<div lang="en" dir="ltr"><ol start="3"><li>x</li></ol></div>`,
	} {
		papers, err := Read(folder(t, map[string]string{"about.md": source}), langs)
		expect.OK(t, err)
		if got, _ := papers.Find("about", "en"); !strings.Contains(string(got.Body), want) {
			t.Errorf("%.40q is %.200s", source, got.Body)
		}
	}
}

func TestWhatIsNoPaperIsRefused(t *testing.T) {
	for _, tc := range []struct{ name, text, says string }{
		{"about.md", "<script>alert(1)</script>", "about.md: <script> is not allowed"},
		{"about.html", "<p>x<img src=x onerror=alert(1)>", "<img> is not allowed"},
		{"about.html", "<p onclick=alert(1)>x", "<p onclick> is not allowed"},
		{"about.html", "<p style='color:red'>x", "<p style> is not allowed"},
		{"about.html", "<a href=' JavaScript:alert(1)'>x", "a link leads to"},
		{"about.html", "<a href='java\nscript:alert(1)'>x", "a link leads to"},
		{"about.md", "[x](javascript:alert(1))", "a link leads to"},
		{"about.md", "[x](data:text/html,x)", "a link leads to"},
		{"about.html", "<svg><a href=x>", "<svg> is not allowed"},
		{"about.html", "<form><input>", "<form> is not allowed"},
		{"about.html", "<iframe src=/>", "<iframe> is not allowed"},
		{"about.html", "<!doctype html><title>x</title>", "<title> is not allowed"},
		{"about.html", "<meta http-equiv=refresh content=0>", "<meta> is not allowed"},
		{"about.html", "<style>*{}</style>", "<style> is not allowed"},
		{"about.html", "<math><mtext><script>x", "is not allowed"},
		{"about.md", " \n\t", "it is empty"},
		{"about.md", "\xff\xfe", "it is not UTF-8"},
		{"about.md", "a\x00b", "it is not UTF-8"},
		{"about.md", strings.Repeat("a ", maxSize/2+1), "it is larger than 256 KiB"},
		{"about.md/", "", "it is not a file"},
		{"about.txt", "x", "about.txt is not a paper: name it about.md or about.html, or about.LANG.md with one of de, en"},
		{"about.deutsch.md", "x", "about.deutsch.md is not a paper"},
		{"about", "x", "about is not a paper"},
		{"about.de.x.md", "x", "is not a paper"},
	} {
		_, err := Read(folder(t, map[string]string{tc.name: tc.text}), langs)
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s with %.40q: %v, wanted %q", tc.name, tc.text, err, tc.says)
		}
	}
	if _, err := Read(folder(t, map[string]string{"terms.md": "x", "terms.html": "x"}), langs); err == nil || !strings.Contains(err.Error(), "as .md and as .html") {
		t.Errorf("twice: %v", err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none"), langs); !os.IsNotExist(err) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
