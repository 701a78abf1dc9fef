package publish_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestRegression34AVersionIsThereWholeOrNotAtAll erases a version while others list and restore it.
func TestRegression34AVersionIsThereWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by, id := w.managed() // version 2: index.html and a.js
	const more = 20
	var files []testworld.File
	for i := range more {
		files = append(files, testworld.File{Name: fmt.Sprintf("more/%d.js", i), Content: w.stage(fmt.Sprint("x", i))})
	}
	expect.OK(t, testworld.PutFiles(t.Context(), w.Service, by, id, files, publish.Form{Token: "many"}))
	for round := range 30 {
		p, err := w.db.Publish().Project(t.Context(), id)
		expect.OK(t, err)
		// Each file of the version that is erased is in no other one: all of them go with it.
		for i := range files {
			files[i].Content = w.stage(fmt.Sprint("x", round, i))
		}
		files = append(files[:more], testworld.File{Name: "index.html", Content: w.stage(fmt.Sprint(page, round))}, testworld.File{Name: "a.js", Content: w.stage(fmt.Sprint("a", round))})
		expect.OK(t, testworld.PutFiles(t.Context(), w.Service, by, id, files, publish.Form{Token: fmt.Sprint("other ", round)}))
		n := p.Version
		var all sync.WaitGroup
		all.Go(func() {
			expect.Is(t, "erase", w.EraseVersion(t.Context(), by, id, n), nil)
		})
		all.Go(func() {
			err := w.RestoreVersion(t.Context(), by, id, n, publish.Form{Token: fmt.Sprint("restore ", round)})
			if err != nil && !errors.Is(err, sandlot.ErrNotFound) && !errors.Is(err, sandlot.CodeUnavailable) {
				t.Errorf("restore: %v", err)
			}
		})
		for range 3 {
			all.Go(func() {
				for range 3 {
					list, err := w.db.Publish().Files(t.Context(), id, n)
					if err != nil && !errors.Is(err, sandlot.ErrNotFound) || err == nil && len(list) != more+2 {
						t.Errorf("a list of %d files, %v", len(list), err)
					}
				}
			})
		}
		all.Wait()
		p, err = w.db.Publish().Project(t.Context(), id)
		expect.OK(t, err)
		list, err := w.db.Publish().Files(t.Context(), id, p.Version)
		if err != nil || len(list) != more+2 || p.FileCount != more+2 {
			t.Fatalf("round %d: version %d has %d files and is said to have %d, %v", round, p.Version, len(list), p.FileCount, err)
		}
	}
	found, _, _, err := w.db.Upkeep().Mistakes(t.Context(), 0, 10)
	if err != nil || len(found) != 0 {
		t.Errorf("the records contradict each other: %v, %v", found, err)
	}
}
