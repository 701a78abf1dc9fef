package corpus

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"text/template"
)

// games are the templates of the honest pages.
var games = template.Must(template.New("").Delims("<%", "%>").ParseFS(files, "pages/honest/*.html"))

// words has the texts of the games by language.
var words = decoded[map[string]map[string]string]("pages/honest/words.json")

// titles has the titles of each game, each after its language and a colon.
var titles = decoded[map[string][]string]("pages/honest/titles.json")

// A toy is the data of the template of a game.
type toy struct {
	Lang, Title, Accent string
	Number              int
	Twelve              []int
}

// T returns a text in the language of the game.
func (t toy) T(name string) string { return words[t.Lang][name] }

// Honest returns n first games and programs of honest makers, each game in turn. One of the 27 has a field for a password.
func Honest(seed int64, n int) []Page {
	rng := rand.New(rand.NewPCG(uint64(seed), 2)) // #nosec G115 -- any number is a seed
	names := make([]string, 0, len(titles))
	for name := range titles {
		names = append(names, name)
	}
	slices.Sort(names)
	pages := make([]Page, n)
	for i := range pages {
		if i%len(names) == 0 {
			shuffle(rng, names)
		}
		pages[i] = honest(rng, names[i%len(names)])
	}
	return pages
}

// honest returns a page of a game.
func honest(rng *rand.Rand, name string) Page {
	lang, title, _ := strings.Cut(pick(rng, titles[name]), ":")
	title += pick(rng, []string{"", "", "", " 2", " v0.3", " (beta)", " ⭐", " - game jam"})
	t := toy{Lang: lang, Title: title, Accent: fmt.Sprintf("#%06x", rng.IntN(1<<24)), Number: 1000 + rng.IntN(9000)}
	for i := range 12 {
		t.Twelve = append(t.Twelve, i+1)
	}
	var page bytes.Buffer
	if err := games.ExecuteTemplate(&page, name+".html", t); err != nil {
		panic(err)
	}
	way := pick(rng, []string{"plain", "plain", "plain", "plain", "files", "files", "bundle", "bundle", "packed"})
	if name == "twine" {
		way = "plain" // as its editor exports it
	}
	files := wrapped(rng, way, page.String())
	return Page{Kind: name, Way: way, Title: title, Lang: lang, Files: files, Honest: true, Password: name == "login"}
}

// wrapped returns the files of a page as a way of building leaves them.
func wrapped(rng *rand.Rand, way, page string) map[string][]byte {
	if way == "plain" {
		return single(page)
	}
	page, style := cut(page, "<style>", "</style>", `<link rel="stylesheet" href="style.css">`)
	switch way {
	case "files":
		page, script := cut(page, "<script>", "</script>", `<script src="js/game.js"></script>`)
		return map[string][]byte{"index.html": []byte(page), "style.css": []byte(style), "js/game.js": []byte(script)}
	case "bundle":
		name := fmt.Sprintf("assets/index-%08x.js", rng.Uint32())
		page, script := cut(page, "<script>", "</script>", `<script type="module" crossorigin src="./`+name+`"></script>`)
		library, err := files.ReadFile("pages/honest/bundle.js")
		if err != nil {
			panic(err)
		}
		return map[string][]byte{"index.html": []byte(page), "style.css": []byte(style), name: append(library, script...)}
	}
	page, script := cut(page, "<script>", "</script>", "<script></script>")
	packed := `eval(decodeURIComponent(escape(atob("` + encode(script) + `"))))`
	page = strings.Replace(page, "<script></script>", "<script>"+packed+"</script>", 1)
	return map[string][]byte{"index.html": []byte(page), "style.css": []byte(style)}
}
