package players_test

import (
	"bytes"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestAnExportWithSavesIsImportedWhole(t *testing.T) {
	w := newWorld(t)
	deep := strings.Repeat("[", 32) + strings.Repeat("]", 32)
	for slot, value := range map[string]string{"main": "{\n \"a\": \"<b>\u2028\"}", "deep": deep, "none": "null", "huge": "[1e999,\"\\ud800\"]"} {
		expect.OK(t, w.save(w.visit("ada"), slot, value))
	}
	_, err := w.Share(t.Context(), sandlot.Caller{}, w.visit("ada"), "a/ü", []byte("[1]"))
	expect.OK(t, err)
	lines := players.Lines{Store: w.DB.Players(), Now: w.Now}
	written := func(id sandlot.ProjectID) string {
		var out bytes.Buffer
		expect.OK(t, lines.Write(t.Context(), &out, id))
		return out.String()
	}
	text := written(w.project.ID)
	expect.Equal(t, "lines", strings.Count(text, "\n"), 5)
	other := w.PublishPage(testworld.Nobody(), "<!doctype html><title>two</title>").Project
	expect.Equal(t, "before", written(other.ID), "")
	left, err := lines.Read(t.Context(), other.ID, strings.NewReader(text))
	expect.OK(t, err)
	expect.Equal(t, "left out", left, "")
	expect.Equal(t, "after", written(other.ID), text)
	expect.Equal(t, "of no project", written("none"), "")
}

func TestInvalidLinesOfSavesAreRefused(t *testing.T) {
	w := newWorld(t)
	lines := players.Lines{Store: w.DB.Players(), Most: 1, Now: w.Now}
	const at = `,"at":"2020-01-01T00:00:00Z"}`
	for what, c := range map[string]struct{ line, left string }{
		"no JSON":             {"{", "Line 1"},
		"nothing":             {"{}", "Line 1"},
		"no player":           {`{"player":"Ada","slot":"main","value":1` + at, "Line 1"},
		"no slot":             {`{"player":"0123456789","value":1` + at, "Line 1"},
		"a slot and a key":    {`{"player":"0123456789","slot":"main","key":"key","value":1` + at, "Line 1"},
		"a value too large":   {`{"player":"0123456789","slot":"main","value":"` + strings.Repeat("x", players.MaxSave) + `"` + at, "Line 1"},
		"a value too deep":    {`{"player":"0123456789","slot":"main","value":` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + at, "Line 1"},
		"a line too long":     {strings.Repeat(" ", 4<<20), "too long"},
		"a key with a zero":   {`{"key":"a\u0000","value":1` + at, "Line 1"},
		"more than the quota": {`{"key":"a","value":1` + at, "no room"},
	} {
		left, err := lines.Read(t.Context(), w.project.ID, strings.NewReader(c.line))
		expect.OK(t, err, what)
		expect.Contains(t, what, left, c.left)
	}
	left, err := lines.Read(t.Context(), "none", strings.NewReader(`{"key":"a","value":1`+at))
	expect.OK(t, err)
	expect.Contains(t, "no project", left, "no project")
	expect.Equal(t, "shared values", len(w.Query("SELECT key FROM shared")), 0)
}
