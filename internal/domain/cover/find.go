package cover

import (
	"context"
	"errors"
	"io"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"sandlot"
	"sandlot/internal/format/names"
)

const (
	// maxHead bounds the bytes of a document that are read: its picture is named in its head.
	maxHead = 256 << 10
	// mostIcons bounds the icons of a document that are tried.
	mostIcons = 4
)

// named lists the filenames of covers; the first that exists counts.
var named = []string{"cover.png", "cover.jpg", "cover.jpeg", "cover.webp"}

// icons lists the filenames of icons that no document has to name, the largest first.
var icons = []string{"apple-touch-icon.png", "icon-512.png", "icon-192.png", "icon.png", "favicon.png", "favicon.webp"}

// A head holds the pictures that a document names: names of the project's own files.
type head struct {
	picture string
	icons   []icon // the largest first
}

type icon struct {
	name string
	size int // as the document states it, 0 if it does not
}

// readHead reads the pictures that the document of a project names. A browser loads the document from the address at.
func readHead(r io.Reader, at *url.URL, own func(*url.URL) bool) (h head) {
	base := at
	tags := html.NewTokenizer(io.LimitReader(r, maxHead))
	tags.SetMaxBuf(maxHead)
	name := func(address string) string {
		u, err := base.Parse(strings.TrimSpace(address))
		if err != nil || !own(u) || len(u.Path) < 2 || strings.HasSuffix(u.Path, "/") {
			return ""
		}
		return strings.TrimPrefix(path.Clean(u.Path), "/")
	}
	for {
		switch tags.Next() {
		case html.ErrorToken:
			return h
		case html.StartTagToken, html.SelfClosingTagToken:
		default:
			continue
		}
		t := tags.Token()
		switch t.Data {
		case "body":
			return h
		case "base":
			if u, err := at.Parse(attribute(t, "href")); err == nil && base == at && attribute(t, "href") != "" {
				base = u
			}
		case "meta":
			if p := attribute(t, "property") + attribute(t, "name"); h.picture == "" && (p == "og:image" || p == "og:image:url") {
				h.picture = name(attribute(t, "content"))
			}
		case "link":
			h.addIcon(t, name)
		}
	}
}

func (h *head) addIcon(t html.Token, name func(string) string) {
	rel := strings.Fields(strings.ToLower(attribute(t, "rel")))
	touch := slices.Contains(rel, "apple-touch-icon")
	if len(h.icons) == mostIcons || !touch && !slices.Contains(rel, "icon") {
		return
	}
	i := icon{name: name(attribute(t, "href"))}
	wide, _, _ := strings.Cut(strings.ToLower(attribute(t, "sizes")), "x")
	if i.size, _ = strconv.Atoi(wide); touch && i.size == 0 {
		i.size = 180
	}
	if i.name != "" && !strings.EqualFold(path.Ext(i.name), ".svg") && !strings.EqualFold(path.Ext(i.name), ".ico") {
		h.icons = append(h.icons, i)
		slices.SortStableFunc(h.icons, func(a, b icon) int { return b.size - a.size })
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

// head reads the document of a project, if it has one.
func (s *Service) head(ctx context.Context, p sandlot.Project) (head, error) {
	f, err := s.file(ctx, p.ID, p.Primary)
	if errors.Is(err, sandlot.ErrNotFound) {
		return head{}, nil
	}
	if err != nil || !f.Blob.Text {
		return head{}, err
	}
	r, err := s.Content.Open(ctx, f.Blob, 0, min(f.Blob.Size, maxHead))
	if errors.Is(err, sandlot.ErrCorrupt) || errors.Is(err, sandlot.ErrNotFound) {
		return head{}, nil // a damaged document is shown to nobody
	}
	if err != nil {
		return head{}, err
	}
	defer r.Close()
	at, own, err := s.origins(p)
	if err != nil {
		return head{}, err
	}
	return readHead(r, at, own), nil
}

// origins returns the address of a project's document, and a test for the project's own addresses.
func (s *Service) origins(p sandlot.Project) (*url.URL, func(*url.URL) bool, error) {
	addresses := s.Places.Project(p.ID, p.Version, p.Suffix)
	root, err := url.Parse("http://project.invalid/") // without a host of its own a project has a path, which is not written in it
	if s.Places.Content != "" {
		root, err = url.Parse(addresses.URL)
	}
	if err != nil {
		return nil, nil, err
	}
	own := func(u *url.URL) bool {
		return (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, root.Host)
	}
	return root.JoinPath(p.Primary), own, nil
}

// files returns those of the names that are files of the project, in the order of the names.
func (s *Service) files(ctx context.Context, id sandlot.ProjectID, list []string) ([]sandlot.File, error) {
	folded := make([]string, len(list))
	for i, n := range list {
		folded[i] = names.Fold(n)
	}
	found, err := s.store.FilesFolded(ctx, id, folded)
	slices.SortFunc(found, func(a, b sandlot.File) int {
		return slices.Index(folded, names.Fold(a.Name)) - slices.Index(folded, names.Fold(b.Name))
	})
	return found, err
}
