package publish_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestFiftySendersOfTheLastPart(t *testing.T) {
	t.Parallel()
	type answer struct {
		out publish.Published
		err error
	}
	race := func(t *testing.T, w *world, last func(i int) (sandlot.Caller, part)) (full, refusals int, ids map[sandlot.ProjectID]bool) {
		t.Helper()
		var all sync.WaitGroup
		answers := make(chan answer, 50)
		for i := range cap(answers) {
			by, p := last(i)
			c := w.content(p)
			all.Go(func() {
				out, pending, err := w.Publish(t.Context(), by, publish.PublishInput{Content: c, Part: p.input()})
				if pending != nil {
					err = errors.New("pending")
				}
				answers <- answer{out, err}
			})
		}
		all.Wait()
		close(answers)
		ids = map[sandlot.ProjectID]bool{}
		keys := map[publish.Minted]bool{}
		for a := range answers {
			if a.err != nil {
				refused(t, a.err, sandlot.CodeUploadCompleted)
				refusals++
				continue
			}
			full++
			ids[a.out.Project.ID], keys[a.out.Keys] = true, true
		}
		expect.Equal(t, "sets of keys", len(keys), 1)
		return full, refusals, ids
	}
	t.Run("row 64: the same bytes make one project and get one answer", func(t *testing.T) {
		w := newWorld(t)
		w.waits(nobody(), part{id: longID, n: 1, text: page, total: 2, email: address})
		full, _, ids := race(t, w, func(int) (sandlot.Caller, part) { return nobody(), part{id: longID, n: 2, text: long("two")} })
		n := w.kept()
		if full != 50 || len(ids) != 1 || n["projects"] != 1 || n["accounts"] != 1 || n["keys"] != 2 || n["jobs"] != 1 {
			t.Errorf("%d answers, %d projects; kept %v", full, len(ids), n)
		}
	})
	t.Run("row 64: of senders of other bytes one completes, the others get 409", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		w.waits(by, part{id: "x", n: 1, text: page, total: 2})
		full, refusals, ids := race(t, w, func(i int) (sandlot.Caller, part) { return by, part{id: "x", n: 2, text: long(fmt.Sprint(i))} })
		n := w.kept()
		if full != 1 || refusals != 49 || len(ids) != 1 || n["projects"] != 1 || n["blobs on disk"] != 2 {
			t.Errorf("%d answers, %d refusals; kept %v", full, refusals, n)
		}
	})
}
