package publish_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// refusedAs fails the test unless err has the code, and returns the Error.
func refusedAs(t *testing.T, what string, err error, code sandlot.Code) *sandlot.Error {
	t.Helper()
	e := sandlot.AsError(err)
	if e == nil || e.Code != code {
		t.Fatalf("%s: %v, want %s", what, err, code)
	}
	return e
}

func TestWhoMayPublish(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		opening         sandlot.Opening
		nobody, account bool
	}{{"", true, true}, {sandlot.OpenToAll, true, true}, {sandlot.OpenToKeys, false, true}, {sandlot.Closed, false, false}} {
		t.Run("publish="+string(tc.opening), func(t *testing.T) {
			w := newWorld(t)
			by, other := w.account(), w.publish(nobody(), "<p>there")
			w.Service = w.open(publish.Config{Places: local(), InlineMax: inlineMax, Opening: tc.opening})
			for _, c := range []struct {
				who string
				by  sandlot.Caller
				may bool
			}{{"nobody", nobody(), tc.nobody}, {"an account", by, tc.account}} {
				admitted := w.Admit(t.Context(), c.by, sandlot.ActPublish)
				_, _, err := w.Publish(t.Context(), c.by, publish.PublishInput{Content: w.stage("<p>new"), Email: address})
				if c.may && (err != nil || admitted != nil) {
					t.Errorf("%s may not publish: %v, %v", c.who, admitted, err)
				}
				if !c.may {
					refusedAs(t, c.who+", before the body", admitted, sandlot.CodePublishClosed)
					refusedAs(t, c.who, err, sandlot.CodePublishClosed)
				}
			}
			_, err := w.Signup(t.Context(), nobody(), publish.SignupInput{})
			if tc.nobody != (err == nil) {
				t.Errorf("signup: %v", err)
			}
			w.put(w.caller(other.Keys.Account), other.Project.ID, "index.html", "<p>changed in any case")
		})
	}
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *publish.Config) { c.Quota = publish.Quota{Projects: 2, Bytes: 100} })
	by := w.account()
	first := w.publish(by, "<p>one")
	w.publish(by, "<p>two")
	publishes := func(by sandlot.Caller, text string) error {
		_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(text), Email: address})
		return err
	}
	t.Run("one project too many", func(t *testing.T) {
		e := refusedAs(t, "publish", publishes(by, "<p>three"), sandlot.CodeQuotaExceeded)
		if !strings.Contains(e.Message, "2 projects") || e.RetryAfter == 0 {
			t.Errorf("%q, after %v", e.Message, e.RetryAfter)
		}
	})
	t.Run("bytes of all versions count", func(t *testing.T) {
		w.put(by, first.Project.ID, "index.html", strings.Repeat("x", 80))
		_, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: string(first.Project.ID), Filename: "index.html", Content: w.stage(strings.Repeat("y", 10))})
		refusedAs(t, "update", err, sandlot.CodeQuotaExceeded)
		w.put(by, first.Project.ID, "a.txt", strings.Repeat("y", 8))
	})
	t.Run("content larger than all of it", func(t *testing.T) {
		refusedAs(t, "publish without a key", publishes(nobody(), strings.Repeat("x", 3000)), sandlot.CodeQuotaExceeded)
		for ref, err := range w.blobs.List(t.Context(), time.Now().Add(time.Hour)) {
			t.Errorf("the refused content is still there: %s, %v", ref, err)
		}
	})
	t.Run("another account has its own", func(t *testing.T) {
		expect.OK(t, publishes(nobody(), "<p>mine"))
	})
}

func TestTheDisksHighWaterMark(t *testing.T) {
	t.Parallel()
	room := true
	w := newWorld(t, func(c *publish.Config) { c.Room = func() bool { return room } })
	by := w.account()
	p := w.publish(by, "<p>one").Project
	w.put(by, p.ID, "a.txt", "a")
	room = false
	_, err := w.Stage(t.Context(), strings.NewReader("x"))
	if e := refusedAs(t, "new content", err, sandlot.CodeStorageFull); e.RetryAfter == 0 || !errors.Is(err, sandlot.ErrFull) {
		t.Errorf("it does not tell when to try again: %v", err)
	}
	if w.text(p.ID, 2, "a.txt") != "a" {
		t.Error("reads do not go on")
	}
	if _, err := w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(p.ID), Filename: "a.txt"}); err != nil {
		t.Errorf("deletes do not work: %v", err)
	}
	room = true
	w.publish(by, "<p>again")
}

func TestRegression49ADiskThatFillsEndsWhatComesSlowly(t *testing.T) {
	t.Parallel()
	room := true
	w := newWorld(t, func(c *publish.Config) { c.Room = func() bool { return room } })
	filling := func() io.Reader {
		room = true
		return io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20)), readerFunc(func(p []byte) (int, error) {
			room = false
			return len(p), nil
		}))
	}
	_, err := w.Stage(t.Context(), io.LimitReader(filling(), 64<<20))
	refusedAs(t, "the rest of a file", err, sandlot.CodeStorageFull)
	tree := w.NewTree(nil)
	defer w.DiscardTree(t.Context(), tree)
	refusedAs(t, "the rest of an archive", tree.Unpack(t.Context(), "zip", io.LimitReader(filling(), 64<<20)), sandlot.CodeStorageFull)
}
