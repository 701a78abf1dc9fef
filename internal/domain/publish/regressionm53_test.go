package publish_test

import (
	"errors"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// TestRegressionM53AllBadNamesOfACallAreToldAtOnce: each with its reason and a name that works, of an archive and of files one by one.
func TestRegressionM53AllBadNamesOfACallAreToldAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := []string{"index.html", page, "a?.png", "x", "b:c.js", "x", "../d.js", "x"}
	says := func(what string, err error) {
		t.Helper()
		refused(t, err, sandlot.CodeInvalidFilename)
		var e *sandlot.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", what, err)
		}
		for _, name := range []string{`"a?.png"`, `"b:c.js"`, `"../d.js"`} {
			if !strings.Contains(e.Message, name) || !strings.Contains(e.Fix.Note, name+" as ") {
				t.Errorf("%s: %s is not listed: %s %s", what, name, e.Message, e.Fix.Note)
			}
		}
		if !strings.HasPrefix(e.Message, "3 files have names that cannot be used.") {
			t.Errorf("%s: %s", what, e.Message)
		}
	}
	for format, archive := range map[string]string{"zip": zipped(t, list...), "tar": tarred(t, list...)} {
		_, err := w.unpacked(format, archive)
		says(format, err)
	}
	tree := w.NewTree(nil)
	for i := 0; i < len(list); i += 2 {
		expect.OK(t, tree.Add(t.Context(), list[i], publish.Declared{}, strings.NewReader(list[i+1])))
	}
	_, _, err := w.Publish(t.Context(), w.account(), publish.PublishInput{Tree: tree})
	says("files", err)
}

// TestRegressionM53AListOfAnUpdateIsComparedWithAllFiles: the update brings one script, and what that lists is in the version.
func TestRegressionM53AListOfAnUpdateIsComparedWithAllFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	out := w.publishMany(by, "index.html", `<title>T</title><script src="a.js"></script>`, "a.js", "1", "img/a.png", "x", "img/b.png", "x")
	tells(t, w.put(by, out.Project.ID, "a.js", `for (const n of ["a.png", "b.png", "z.png"]) draw("img/" + n)`).Warnings, "missing_file", `lists "z.png" (that is img/z.png)`)
	expect.Same(t, "codes", codes(w.put(by, out.Project.ID, "a.js", `for (const n of ["a.png", "b.png"]) draw("img/" + n)`).Warnings), nil)
}
