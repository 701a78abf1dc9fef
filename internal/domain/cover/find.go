package cover

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/html"

	"sandlot"
	"sandlot/internal/format/picture"
)

// maxHead bounds the bytes of a document that are read: its picture is named in its head.
const maxHead = 256 << 10

// named lists the filenames of covers; the first that exists counts.
var named = []string{"cover.png", "cover.jpg", "cover.jpeg", "cover.webp"}

// pictureIn returns the picture that the document of a project names, if it is one of the project's own files. A browser
// loads the document from the address at.
func pictureIn(r io.Reader, at *url.URL) string {
	base := at
	tags := html.NewTokenizer(io.LimitReader(r, maxHead))
	tags.SetMaxBuf(maxHead)
	for {
		switch tags.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
		default:
			continue
		}
		t := tags.Token()
		switch p := attribute(t, "property") + attribute(t, "name"); {
		case t.Data == "body":
			return ""
		case t.Data == "base":
			if u, err := at.Parse(attribute(t, "href")); err == nil && base == at && attribute(t, "href") != "" {
				base = u
			}
		case t.Data == "meta" && (p == "og:image" || p == "og:image:url"):
			u, err := base.Parse(strings.TrimSpace(attribute(t, "content")))
			own := err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, at.Host)
			if own && len(u.Path) > 1 && !strings.HasSuffix(u.Path, "/") {
				return strings.TrimPrefix(path.Clean(u.Path), "/")
			}
		}
	}
}

func attribute(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// pictureOf returns the picture that the document of a project names; empty without one.
func (s *Service) pictureOf(ctx context.Context, p sandlot.Project) (string, error) {
	f, err := s.file(ctx, p.ID, p.Primary)
	if err == nil && !f.Blob.Text {
		return "", nil
	}
	var r io.ReadCloser
	if err == nil {
		r, err = s.Content.Open(ctx, f.Blob, 0, min(f.Blob.Size, maxHead))
	}
	if errors.Is(err, sandlot.ErrCorrupt) || errors.Is(err, sandlot.ErrNotFound) {
		return "", nil // a damaged document is shown to nobody
	}
	if err != nil {
		return "", err
	}
	defer r.Close()
	root := "http://project.invalid/" // without a host of its own a project has a path, which is not written in it
	if s.Places.Content != "" {
		root = s.Places.Project(p.ID, p.Version, p.Suffix).URL
	}
	at, err := url.Parse(root)
	if err != nil {
		return "", err
	}
	return pictureIn(r, at.JoinPath(p.Primary)), nil
}

// Missing is the kind of a Finding about a file that the project does not have.
const Missing picture.Kind = "missing"

// mostFindings bounds the findings of a cover: one of each source, and further files.
const mostFindings = 8

// A Finding names a picture that could not be used, and the reason.
type Finding struct {
	Source Source
	File   string
	picture.Problem
}

// Message describes in English the fault, and the owner's remedy.
func (f Finding) Message() string {
	if f.Kind == Missing {
		return "The project has no such file. Add it, or name another one."
	}
	return f.Problem.Error()
}

// findingOf returns the finding in an error; ok is false if the error is not about the picture.
func findingOf(source Source, file string, err error) (f Finding, ok bool) {
	if p, ok := errors.AsType[*picture.Problem](err); ok {
		return Finding{source, file, *p}, true
	}
	return f, false
}

func findingsOf(text string) (list []Finding) {
	if text != "" {
		_ = json.Unmarshal([]byte(text), &list) // unreadable findings were written by another release
	}
	return list
}

func written(list []Finding) string {
	if len(list) == 0 {
		return ""
	}
	text, _ := json.Marshal(list[:min(len(list), mostFindings)]) // texts and numbers always encode
	return string(text)
}
