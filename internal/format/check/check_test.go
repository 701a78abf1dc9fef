package check_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/format/check"
	"sandlot/internal/testkit/expect"
)

// folder is the version that a folder of files is.
func folder(t *testing.T, dir string) check.Version {
	t.Helper()
	v := check.Version{Primary: "index.html", All: true, Place: check.Place{Project: "moon-abc123", Path: "http://localhost:8080/~/moon-abc123/", Own: "localhost:8080"}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "want.txt" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		add(&v, filepath.ToSlash(name), text)
		return err
	})
	expect.OK(t, err)
	return v
}

// add puts a file into a version.
func add(v *check.Version, name string, text []byte) {
	v.Names = append(v.Names, name)
	slices.Sort(v.Names)
	v.Size, v.Count = v.Size+int64(len(text)), v.Count+1
	if l := check.At(name, text, true); l != nil {
		v.Looks = append(v.Looks, l)
	}
}

// one is the version that has one page alone.
func one(text string) check.Version {
	v := check.Version{Primary: "index.html", All: true, Place: check.Place{Project: "moon-abc123"}}
	add(&v, "index.html", []byte(text))
	return v
}

// told formats findings, one per line.
func told(v check.Version) string {
	var b strings.Builder
	for _, f := range v.Findings() {
		fmt.Fprintf(&b, "%s: %s\n\t%s\n", f.Code, f.Message, f.Hint)
	}
	return b.String()
}

// TestWhatIsWrongWithRealPagesIsToldAndNothingElse: each folder of testdata is a project of the sort that models write,
// with its expected findings in want.txt; without that file there are none.
func TestWhatIsWrongWithRealPagesIsToldAndNothingElse(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*")
	expect.OK(t, err)
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return filepath.Base(dir) == "fuzz" })
	if len(dirs) < 20 {
		t.Errorf("only %d folders", len(dirs))
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(dir, "want.txt"))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if got := told(folder(t, dir)); got != string(want) {
				if os.Getenv("CHECK_WRITE") != "" {
					expect.OK(t, os.WriteFile(filepath.Join(dir, "want.txt"), []byte(got), 0o600))
				}
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestTheExamplesAreFoundInOrder: they are games that people play.
func TestTheExamplesAreFoundInOrder(t *testing.T) {
	for _, name := range []string{"runnel", "wick"} {
		if got := told(folder(t, "../../../examples/"+name)); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestALargePageThatIsCutOffIsTold(t *testing.T) {
	const begins = "<!doctype html><html><head><title>Rocks</title><meta name=viewport content=x></head><body><canvas></canvas><script>\n"
	code := string(repeat("rocks.push({x: %d, html: '<b>rock</b>'}); if (a<b && c>d) draw(rocks);\n", 3<<20))
	data := "data:image/png;base64," + string(repeat("iVBORw0KGgo%d", 3<<20))
	const ends = "</script></body></html>\n"
	for _, c := range []struct{ what, text, cut string }{
		{"whole", begins + code + ends, ""},
		{"whole, with a comment behind it", begins + code + ends + "<!-- made by hand -->\n", ""},
		{"whole, without the ends that may be left out", begins + code + "</SCRIPT>", ""},
		{"whole, a picture in its address", begins + ends[:9] + "<p>x<img src=\"" + data + "\">", ""},
		{"whole, and text alone at its end", "<!doctype html><title>T</title><script>1</script><pre>" + code + "</pre>", ""},
		{"no document", "<p>" + strings.Repeat("word ", 200_000), ""},
		{"in a script", begins + code[:3_000_000] + "rocks.pu", "inside a script, a style or a tag"},
		{"in an address", begins + ends[:9] + "<img src=\"" + data, "inside a script, a style or a tag"},
		{"in a second script", begins + code + ends[:9] + "<script>let a = 'x", "inside <script>"},
		{"in a tag", begins + code + ends[:9] + "<p>Rocks</p><img src=a.png al", "inside a tag"},
		{"in a comment", begins + code + ends[:9] + "<!-- made by", "inside a comment or a declaration"},
		{"in an end tag", begins + code + "</scr", "inside a script, a style or a tag"},
		{"in the end of a script", begins + code + "</script", "inside an end tag"},
		{"in its text", begins + code + ends[:9] + "<p>Steer with the arr", "in the middle of the text of the page"},
	} {
		t.Run(c.what, func(t *testing.T) {
			l := check.At("index.html", []byte(c.text[:check.Sample]), false)
			if l.Unended() {
				l.End([]byte(c.text[len(c.text)-check.Tail:]))
			}
			v := check.Version{Primary: "index.html", Looks: []*check.Look{l}, Names: []string{"a.png", "index.html"}}
			want := ""
			if c.cut != "" {
				want = "index.html ends " + c.cut + ": it was probably cut off."
			}
			got := ""
			for _, f := range v.Findings() {
				if f.Code == check.CutOff {
					got = f.Message
				}
			}
			expect.Equal(t, "said", got, want)
		})
	}
	if check.At("a.js", []byte(code[:check.Sample]), false).Unended() || check.At("index.html", []byte(begins), true).Unended() {
		t.Error("what is no page, or was seen as a whole, is looked at again")
	}
}
