package publish_test

import (
	"slices"
	"strings"
	"testing"

	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestRegressionM15APageThatShrinksToATwentiethIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	large := "<!doctype html><title>Large</title><p>" + strings.Repeat("text ", 1000)
	id := string(w.publish(by, large).Project.ID)
	update := func(text, key string) []string {
		out, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: id, Filename: "index.html", Content: w.stage(text), Idempotency: key})
		expect.OK(t, err)
		return codes(out.Warnings)
	}
	const small = "<!doctype html><title>Small</title><p>the rest as before"
	for _, when := range []string{"the first time", "when it is answered again"} {
		expect.Equal(t, "that a page that shrank is told "+when, slices.Contains(update(small, "once"), "shrunk"), true)
	}
	expect.Equal(t, "that a page that was small is told", slices.Contains(update("<!doctype html>", ""), "shrunk"), false)
	update(large, "")
	expect.Equal(t, "that a page of a tenth is told", slices.Contains(update(large[:len(large)/10], ""), "shrunk"), false)
}
