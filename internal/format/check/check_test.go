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

// TestAScriptThatEndsWithAHashIsRead: the lexer reads on behind it.
func TestAScriptThatEndsWithAHashIsRead(t *testing.T) {
	for _, code := range []string{" #", "a = 1; #", "class A { #", "`${#"} {
		findings("a.js", []byte(code))
		if got := findings("index.html", []byte("<script>"+code+"</script>")); len(got) == 0 {
			t.Errorf("%s is no fault", code)
		}
	}
}
