package examples

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"

	"golang.org/x/net/html"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := fs.ReadFile(Files(), name)
	expect.OK(t, err)
	return content
}

// page is what a test wants to know of an HTML document.
type page struct {
	title, lang string
	meta        map[string]string
	refs        []string // every src and href
	labels      []string // of each canvas
}

func parse(t *testing.T, content []byte) page {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(content))
	expect.OK(t, err)
	p := page{meta: map[string]string{}}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
			if a.Key == "src" || a.Key == "href" {
				p.refs = append(p.refs, a.Val)
			}
		}
		switch n.Data {
		case "html":
			p.lang = attr["lang"]
		case "title":
			p.title = n.FirstChild.Data
		case "meta":
			p.meta[attr["name"]] = attr["content"]
		case "canvas":
			p.labels = append(p.labels, attr["aria-label"])
		}
	}
	return p
}

func TestBothPagesSayWhatTheyAre(t *testing.T) {
	for name, title := range map[string]string{Wick: "Wick", path.Join(Runnel, "index.html"): "Runnel"} {
		t.Run(name, func(t *testing.T) {
			p := parse(t, read(t, name))
			if p.title != title || p.lang != "en" {
				t.Errorf("title %q, lang %q", p.title, p.lang)
			}
			if !strings.Contains(p.meta["viewport"], "width=device-width") || p.meta["description"] == "" {
				t.Errorf("viewport or description missing: %v", p.meta)
			}
			if len(p.labels) != 1 || p.labels[0] == "" {
				t.Errorf("want one canvas with a label, have %q", p.labels)
			}
		})
	}
}

func TestAnExampleIsDescribedAsItsPageDescribesIt(t *testing.T) {
	for _, e := range All() {
		p := parse(t, read(t, path.Join(e.Folder, "index.html")))
		expect.Equal(t, "the title", p.title, e.Name)
		expect.Equal(t, "the description", strings.ToLower(p.meta["description"]), strings.ToLower(e.Name+": "+e.Description))
	}
}

var elsewhere = regexp.MustCompile(`(?i)https?://|["'(]//[a-z]|@import|importScripts|XMLHttpRequest|WebSocket`)

func TestNothingIsLoadedFromElsewhere(t *testing.T) {
	err := fs.WalkDir(Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".png" || path.Ext(name) == ".wasm" {
			return err
		}
		if hit := elsewhere.Find(read(t, name)); hit != nil {
			t.Errorf("%s: %q", name, hit)
		}
		return nil
	})
	expect.OK(t, err)
}

// sdk is the script of the service, which the games do without elsewhere.
const sdk = ".sandlot/sdk.js"

// TestBothKeepTheirBestOnSandlotAndWorkWithoutIt: the script is first, and nothing calls it where it is not there.
func TestBothKeepTheirBestOnSandlotAndWorkWithoutIt(t *testing.T) {
	for page, code := range map[string]string{Wick: Wick, path.Join(Runnel, "index.html"): path.Join(Runnel, "game.js")} {
		_, scripts, _ := bytes.Cut(read(t, page), []byte("<script"))
		expect.Equal(t, page+" loads it first", bytes.HasPrefix(scripts, []byte(` src="`+sdk+`"></script>`)), true)
		text := string(read(t, code))
		for _, call := range []string{"load()", "save(", "score(", "ready()"} {
			expect.Contains(t, code, text, "sandlot?."+call)
		}
		expect.Equal(t, code+" calls it where it is not there", strings.Contains(text, "sandlot."+"save") || strings.Contains(text, "sandlot."+"score"), false)
	}
}

func TestWick(t *testing.T) {
	content := read(t, Wick)
	t.Run("is between 10 and 40 KB", func(t *testing.T) {
		if n := len(content); n < 10_000 || n > 40_000 {
			t.Errorf("%d bytes", n)
		}
	})
	t.Run("is one file: every reference is data", func(t *testing.T) {
		for _, ref := range parse(t, content).refs {
			if !strings.HasPrefix(ref, "data:") && ref != sdk {
				t.Errorf("reference to %q", ref)
			}
		}
		if hit := regexp.MustCompile(`fetch\(|import[ (]|url\(`).Find(content); hit != nil {
			t.Errorf("loads something: %q", hit)
		}
	})
}

// A relative name in a module: import ... from './x.js', or new URL('x.wasm', import.meta.url).
var relative = regexp.MustCompile(`(?:from|URL\() ?'(?:\./)?([^']+)'`)

func TestRunnel(t *testing.T) {
	wanted := map[string]bool{"index.html": true}
	for _, ref := range parse(t, read(t, path.Join(Runnel, "index.html"))).refs {
		if ref != "data:," && ref != sdk {
			wanted[ref] = true
		}
	}
	entries, err := fs.ReadDir(Files(), Runnel)
	expect.OK(t, err)
	present, kinds := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		present[e.Name()] = true
		kinds[path.Ext(e.Name())] = true
		if path.Ext(e.Name()) == ".js" {
			for _, m := range relative.FindAllSubmatch(read(t, path.Join(Runnel, e.Name())), -1) {
				wanted[string(m[1])] = true
			}
		}
	}
	t.Run("has a page, modules, a picture and WebAssembly", func(t *testing.T) {
		for _, kind := range []string{".html", ".js", ".png", ".wasm"} {
			if !kinds[kind] {
				t.Errorf("no %s file", kind)
			}
		}
	})
	t.Run("refers to its files by relative names, and to each of them", func(t *testing.T) {
		for name := range wanted {
			if !present[name] {
				t.Errorf("%q is referred to but not there", name)
			}
		}
		for name := range present {
			if !wanted[name] {
				t.Errorf("%q is there but nothing refers to it", name)
			}
		}
	})
}
