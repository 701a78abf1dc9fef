package api

import (
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestTheOwnersKeysLearnWhyAPictureIsNotTheCover(t *testing.T) {
	t.Parallel()
	w := settled(t)
	path := "/v1/project/" + w.projectID + "/checks"
	expect.Same(t, "of no picture", w.get(path, w.project).wants(200).body["cover_findings"], any([]any{}))
	w.Exec(`INSERT INTO covers (project, findings) SELECT num, ? FROM projects WHERE id = ?`,
		`[{"source":"cover","file":"cover.png","kind":"format","format":"movie"},{"source":"shot","file":"","kind":"slow"}]`, w.projectID)
	want := []any{
		obj{"source": "cover", "filename": "cover.png", "message": "It is a movie. Save one picture of it as a PNG, JPEG or WebP file, and take that."},
		obj{"source": "shot", "filename": nil, "message": "It takes too long to read. Make it smaller: 1280 by 720 pixels are enough. Or save it as an ordinary JPEG or PNG file."},
	}
	for _, key := range []string{w.account, w.project} {
		expect.Same(t, "what could not be used", w.get(path, key).wants(200).body["cover_findings"], any(want))
	}
}
