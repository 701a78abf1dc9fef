package publish_test

import (
	"errors"
	"testing"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// erase takes versions away, as their owner does.
func (w *world) erase(t *testing.T, by sandlot.Caller, id sandlot.ProjectID, versions ...int) {
	t.Helper()
	me := w.owner(by.Account())
	for _, n := range versions {
		expect.OK(t, w.EraseVersion(t.Context(), me, id, n), "erase version", n)
	}
}

func TestRegression37TheFirstAnswerSurvivesAnErase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	publishes := func() (publish.Published, error) {
		out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Title: "First", Content: w.stage(page), Idempotency: "publish"})
		return out, err
	}
	first, err := publishes()
	expect.OK(t, err)
	id, title := first.Project.ID, "Second"
	update := func(name string) func() (publish.Updated, error) {
		return func() (publish.Updated, error) {
			out, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: string(id), Filename: name, Title: &title, Content: w.stage(long("a")), Idempotency: "update-" + name})
			return out, err
		}
	}
	last := 2
	upload := func(once string) func() (publish.Updated, error) {
		return func() (publish.Updated, error) {
			out, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: string(id), Content: w.stage("two"), Part: &publish.PartInput{UploadID: "u", N: &last, Last: true}, Idempotency: once})
			return out, err
		}
	}
	one := 1
	_, _, err = w.Update(t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "c.js", Content: w.stage("one"), Part: &publish.PartInput{UploadID: "u", N: &one}})
	expect.OK(t, err)
	calls := []struct {
		name string
		make func() (publish.Updated, error)
	}{{"a new file", update("b.js")}, {"a file in place of another", update("index.html")}, {"an upload under an Idempotency-Key", upload("u")}, {"the completing part", upload("")}}
	var answers []publish.Updated
	for _, c := range calls {
		out, err := c.make()
		expect.OK(t, err, c.name)
		answers = append(answers, out)
	}
	deletes := func() (publish.Deleted, error) {
		return w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(id), Filename: "b.js", Idempotency: "delete"})
	}
	deleted, err := deletes()
	expect.OK(t, err)
	same := func(t *testing.T) {
		t.Helper()
		w.unchanged(t, func() {
			again, err := publishes()
			if err != nil || !again.FromRecord || again.Keys != first.Keys || again.Addresses != first.Addresses || again.Project.Title != "First" || again.File.Blob.SHA256 != first.File.Blob.SHA256 {
				t.Errorf("publish: %+v, %v", again.Project, err)
			}
			for i, c := range calls {
				want := answers[i]
				got, err := c.make()
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					continue
				}
				if got.Project.Version != want.Project.Version || got.Previous != want.Previous || got.Created != want.Created || got.Project.Title != title || got.Addresses != want.Addresses ||
					got.File.Name != want.File.Name || got.File.Blob.Size != want.File.Blob.Size || got.File.Blob.SHA256 != want.File.Blob.SHA256 || !got.Project.UpdatedAt.Equal(want.Project.UpdatedAt) {
					t.Errorf("%s: %+v, not %+v", c.name, got, want)
				}
			}
		})
	}
	t.Run("before", same)
	w.erase(t, by, id, 1)
	t.Run("after the version before it was erased", same)
	w.erase(t, by, id, 2, 3, 4)
	t.Run("after its own version was erased", same)
	t.Run("of a deletion too, while its version is there", func(t *testing.T) {
		again, err := deletes()
		if err != nil || !again.FromRecord || again.Previous != deleted.Previous || again.Project.FileCount != deleted.Project.FileCount {
			t.Errorf("%+v, %v", again, err)
		}
	})
}

func TestRegression37AFormThatWasUsedIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	id := w.publish(by, page).Project.ID
	w.put(by, id, "a.js", "a")
	me := w.owner(by.Account())
	files := func() []testworld.File {
		return []testworld.File{{Name: "d.js", Content: w.stage("d")}}
	}
	acts := map[string]func() error{
		"move":    func() error { return w.MoveFile(t.Context(), me, id, "a.js", "b.js", publish.Form{Token: "form"}) },
		"restore": func() error { return w.RestoreVersion(t.Context(), me, id, 1, publish.Form{Token: "form"}) },
		"files": func() error {
			return testworld.PutFiles(t.Context(), w.Service, me, id, files(), publish.Form{Token: "form"})
		},
		"primary": func() error { return w.ChoosePrimary(t.Context(), me, id, "b.js", publish.Form{Token: "form"}) },
	}
	for _, name := range []string{"move", "primary", "restore", "files"} {
		act := acts[name]
		t.Run(name, func(t *testing.T) {
			if name == "primary" {
				w.put(by, id, "b.js", "b")
			}
			expect.OK(t, act())
			made := w.version(t, id)
			t.Run("pressed twice it is done once", func(t *testing.T) {
				if err := act(); err != nil || w.version(t, id) != made {
					t.Errorf("version %d, not %d, %v", w.version(t, id), made, err)
				}
			})
			t.Run("pressed again after the project has moved on, it is told", func(t *testing.T) {
				w.put(by, id, "c.js", "after "+name)
				w.unchanged(t, func() {
					var used publish.FormUsedError
					if err := act(); !errors.As(err, &used) || used.Version != made {
						t.Errorf("got %v, want version %d", err, made)
					}
				})
			})
		})
	}
	t.Run("a report with other words is another report", func(t *testing.T) {
		report := func(details string) string {
			number, err := w.in.Operate.Report(t.Context(), nobody(), operate.NewReport{Project: id, Reason: "other", Details: details, FormToken: "form"})
			expect.OK(t, err)
			return number
		}
		if first := report("one"); report("one") != first || report("two") == first {
			t.Error("the same words are two reports, or other words are lost")
		}
	})
}

// version is the number of a project's current version.
func (w *world) version(t *testing.T, id sandlot.ProjectID) int {
	t.Helper()
	p, err := w.db.Publish().Project(t.Context(), id)
	expect.OK(t, err)
	return p.Version
}
