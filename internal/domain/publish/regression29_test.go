package publish_test

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestRegression29TheNameThatAFileWillHave(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"a.js": "a.js", "./a.js": "a.js", `js\a.js`: "js/a.js"} {
		if got, err := publish.Filename(typed); got != want || err != nil {
			t.Errorf("%q is called %q, %v", typed, got, err)
		}
	}
	_, err := publish.Filename("a?.js")
	expect.Is(t, "none", err, sandlot.CodeInvalidFilename)
}
