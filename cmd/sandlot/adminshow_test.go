package main

import (
	"encoding/json"
	"testing"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/testkit/expect"
)

// TestDigestsOfFilesAreInHex in the JSON of admin show and admin case.
func TestDigestsOfFilesAreInHex(t *testing.T) {
	t.Parallel()
	files := []sandlot.File{{Name: "index.html", Blob: sandlot.Blob{Size: 3, SHA256: sandlot.DigestOf([]byte("abc"))}}}
	want := `{"filename":"index.html","size":3,"sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}`
	for what, shown := range map[string]any{
		"show": newProjectShown(operate.Shown{Found: operate.Found{Project: &operate.ProjectDetail{}}, Files: files}),
		"case": newCaseShown(desk.Case{Files: files}),
	} {
		text, err := json.Marshal(shown)
		expect.OK(t, err)
		expect.Contains(t, what, string(text), want)
	}
}
