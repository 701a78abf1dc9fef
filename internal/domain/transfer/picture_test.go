package transfer

import (
	"encoding/json"
	"io"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestPicturesThatOwnersSentLieWhereNoFileOfAProjectCan(t *testing.T) {
	s := newShelf()
	s.add("maze-abc123", "index.html", []byte("<p>maze"))
	e := s.export("maze-abc123")
	e.Pictures = map[sandlot.ProjectID]publish.SentPicture{
		"maze-abc123": {Project: "maze-abc123", ID: "jcover", Blob: s.blob([]byte("\xffcover"))},
		"":            {ID: "pface", Blob: s.blob([]byte("\xffportrait"))},
		"dusk-def456": {Project: "dusk-def456", ID: "jother", Blob: s.blob([]byte("\xffother"))},
	}
	for _, row := range []struct {
		whole bool
		want  []string
	}{
		{true, []string{"manifest.json", "portrait.png", "\xffportrait", "maze-abc123/index.html", "maze-abc123.cover.jpg", "\xffcover"}},
		{false, []string{"manifest.json", "maze-abc123/index.html", "maze-abc123.cover.jpg", "\xffcover"}},
	} {
		e.Whole = row.whole
		z := open(t, write(t, e, s))
		var got []string
		for i, f := range z.File {
			got = append(got, f.Name)
			if i > 0 && f.Name != "maze-abc123/index.html" {
				got = append(got, string(entry(t, f)))
			}
		}
		expect.Same(t, "entries", got, row.want)
		var m struct {
			Account  account
			Projects []projectEntry
		}
		expect.OK(t, json.Unmarshal(entry(t, z.File[0]), &m))
		c := m.Projects[0].Cover
		if c == nil || c.Path != "maze-abc123.cover.jpg" || c.Size != 6 || c.ContentType != "image/jpeg" || c.SHA256 != e.Pictures["maze-abc123"].Blob.SHA256.String() {
			t.Errorf("the manifest says of the cover %+v", c)
		}
		if p := m.Account.Portrait; (p != nil) != row.whole || row.whole && p.Path != "portrait.png" {
			t.Errorf("the manifest says of the portrait %+v", p)
		}
	}
}

func TestADamagedPictureIsNamed(t *testing.T) {
	s := newShelf()
	s.add("maze-abc123", "index.html", []byte("<p>maze"))
	e := s.export("maze-abc123")
	b := s.blob([]byte("\xffcover"))
	e.Pictures = map[sandlot.ProjectID]publish.SentPicture{"maze-abc123": {Project: "maze-abc123", ID: "jcover", Blob: b}}
	s.broken[b.Ref] = sandlot.ErrCorrupt
	err := Write(t.Context(), io.Discard, e, s)
	expect.Is(t, "the error", err, sandlot.CodeBlobCorrupt)
	if s.open != 0 {
		t.Errorf("%d streams are open", s.open)
	}
}
