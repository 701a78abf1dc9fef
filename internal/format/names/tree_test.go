package names_test

import (
	"slices"
	"testing"

	"sandlot/internal/format/names"
)

func TestWhatToolsKeepBesideTheWorkIsLeftOut(t *testing.T) {
	for name, want := range map[string]string{
		"index.html":                   "",
		"__MACOSX/._index.html":        "__MACOSX/",
		"site/__macosx/x":              "__MACOSX/",
		`site\node_modules\three\a.js`: "node_modules/",
		"a/.git/config":                ".git/",
		".git":                         ".git",
		"img/.DS_Store":                ".DS_Store",
		"THUMBS.DB":                    "Thumbs.db",
		"a/Desktop.ini":                "desktop.ini",
		"._index.html":                 "._*",
		".sandlot/project.json":        ".sandlot/",
		"node_modules":                 "", // a file of that name
		"my_node_modules/a.js":         "",
		".gitignore":                   "",
		"_.png":                        "",
		".env":                         ".env",
		"a/.ENV.local":                 ".env",
		".env.example":                 "",
		"my.env":                       "",
		".aws/credentials":             ".aws/",
		`home\.ssh\known_hosts`:        ".ssh/",
		"id_rsa":                       "id_rsa",
		"id_card.png":                  "",
		"keys/server.PEM":              "*.pem",
		".sandlot.json":                ".sandlot.json",
	} {
		if got := names.LeftOut(name); got != want {
			t.Errorf("LeftOut(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestOneFolderThatHoldsThePageIsTheWrapper(t *testing.T) {
	for _, c := range []struct {
		want string
		list []string
	}{
		{"", nil},
		{"", []string{"index.html", "a.js"}},
		{"site/", []string{"site/index.html", "site/js/a.js"}},
		{"site/", []string{"site/game.html", "site/js/a.js"}},
		{"", []string{"site/a.html", "site/b.html"}},
		{"site/", []string{"site/a.html", "site/b.html", "site/index.html"}},
		{"", []string{"site/index.html", "sitemap.xml"}},
		{"", []string{"a/site/index.html"}}, // one folder, not two
		{"", []string{"js/a.js", "js/b.js"}},
	} {
		if got := names.Wrapper(c.list); got != c.want {
			t.Errorf("Wrapper(%q) = %q, want %q", c.list, got, c.want)
		}
	}
}

func TestThePageIsTheIndexOrTheOneAtTheRoot(t *testing.T) {
	for _, c := range []struct {
		want string
		list []string
	}{
		{"", nil},
		{"index.html", []string{"a.html", "b.html", "index.html"}},
		{"game.html", []string{"game.html", "js/help.html", "a.js"}},
		{"Game.HTML", []string{"Game.HTML"}},
		{"", []string{"a.html", "b.html", "c.html"}},
		{"", []string{"js/index.html"}},
	} {
		if got := names.Page(c.list); got != c.want {
			t.Errorf("Page(%q) = %q, want %q", c.list, got, c.want)
		}
	}
}

func TestCandidatesLieHighestFirst(t *testing.T) {
	got := names.Candidates([]string{"a/b/x.html", "z.htm", "a.js", "a/y.html", "b.html"}, 3)
	if want := []string{"b.html", "z.htm", "a/y.html"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNamesThatNoFileSystemKeepsApartClash(t *testing.T) {
	for _, c := range []struct {
		want bool
		list []string
	}{
		{false, []string{"a", "b/a", "b/c"}},
		{true, []string{"a.css", "A.css"}},
		{true, []string{"img/ß.png", "IMG/SS.png"}},
		{true, []string{"e\u0301", "\u00e9"}},
		{true, []string{"a", "a/b"}},
		{true, []string{"A/b", "a"}},
		{true, []string{"x/y/z", "X/Y"}},
		{true, []string{"a/b", "a-b", "a.b", "a"}}, // names that sort between a folder and its files clash with neither
		{false, []string{"a/b", "a-b", "a.b", "a0", "a!/b"}},
	} {
		if a, b, got := names.Clash(c.list); got != c.want {
			t.Errorf("Clash(%q) = %q, %q, %v", c.list, a, b, got)
		}
	}
}

func TestWhatCollidesAlreadyIsNoReasonToRefuseWhatIsNew(t *testing.T) {
	old := func(name string) names.Place { return names.Place{Folded: name, Name: name} }
	fresh := func(name string) names.Place { return names.Place{Folded: name, Name: name, New: true} }
	for _, c := range []struct {
		want string // the new one
		list []names.Place
	}{
		{"", []names.Place{old("a"), old("a/b"), fresh("c"), fresh("b/a")}},
		{"a/c", []names.Place{old("a"), old("a/b"), fresh("a/c")}},
		{"a/b/c", []names.Place{fresh("a/b/c"), old("a/a"), old("a")}},
		{"a", []names.Place{old("a/a"), old("a/b"), fresh("a")}},
		{"a", []names.Place{old("a"), fresh("a")}},
	} {
		if name, other, _ := names.Collide(c.list); name != c.want || name == "" != (other == "") {
			t.Errorf("Collide(%v) = %q, %q, want %q", c.list, name, other, c.want)
		}
	}
}
