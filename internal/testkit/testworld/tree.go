package testworld

import (
	"strings"

	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// Tree is files as a transport hands them over: each name is followed by its text.
func (w *World) Tree(files ...string) *publish.Tree {
	w.t.Helper()
	t := w.Publish.Contents.NewTree(nil)
	for i := 0; i < len(files); i += 2 {
		expect.OK(w.t, t.Add(w.t.Context(), files[i], publish.Declared{}, strings.NewReader(files[i+1])))
	}
	return t
}
