package internal_test

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"sandlot/internal/testkit/expect"
)

// maxPicture is how many bytes a picture of the README may have: a clone and its front page stay light.
const maxPicture = 200 << 10

// TestRegression42TheReadmeShowsAPicture of a bounded size, and leads to nothing that is not there.
func TestRegression42TheReadmeShowsAPicture(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	expect.OK(t, err)
	pictures := regexp.MustCompile(`!\[[^\]]+\]\(([^)]+)\)`).FindAllSubmatch(text, -1)
	if len(pictures) == 0 {
		t.Error("it has no picture with a text")
	}
	for _, found := range pictures {
		picture, err := os.ReadFile("../" + string(found[1]))
		if err != nil || len(picture) > maxPicture || !bytes.HasPrefix(picture, []byte("\x89PNG")) {
			t.Errorf("%s has %d bytes: %v", found[1], len(picture), err)
		}
	}
	for _, link := range regexp.MustCompile(`\]\(([^):]+)\)`).FindAllSubmatch(text, -1) {
		if _, err := os.Stat("../" + string(link[1])); err != nil {
			t.Error(err)
		}
	}
	for _, command := range []string{"\ngo run ./cmd/sandlot try\n", "\nscripts/test\n"} {
		if !bytes.Contains(text, []byte(command)) {
			t.Errorf("it does not tell %q", command)
		}
	}
}
