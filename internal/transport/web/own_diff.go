package web

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/mediatype"
	"sandlot/internal/transport/web/texts"

	"github.com/rogpeppe/go-internal/diff"
)

// The limits of a comparison.
const (
	maxCompared  = 256 << 10 // bytes of either file: nobody reads more line by line
	diffLines    = 5_000     // shown at most
	maxDiffLine  = 600       // characters shown of a line; minified code has one long line
	maxDiffShown = 200_000   // bytes of all lines together: the page then has up to 2 MB
	maxShown     = 2 << 20   // bytes of a picture that is shown as it is

	comparisonWait = 20 * time.Second // for the comparisons of others, as long as a visitor waits for a page
)

// newComparisons bounds the memory of comparisons: some 50 MB while one is made, one at a time, and up to 2 MB until
// its page has been read, one for each account.
func newComparisons() *turns.Lists[sandlot.AccountID] {
	return turns.NewLists[sandlot.AccountID](1, 1, comparisonWait)
}

// A diffPage compares one file of a version with the version before it.
type diffPage struct {
	publish.Managed
	N        int
	Change   sandlot.FileChange
	Old, New *comparedFile // nil: not in that version
	Diff     textDiff
	Why      string // the reason for showing no lines; empty: they are shown
}

// A comparedFile is one of the two files.
type comparedFile struct {
	sandlot.File
	Version int
	Picture string // its address, if it is a picture that may be shown
}

func (s versions) diff(v *visit) error {
	made, sent, err := s.comparisons.Begin(v.r.Context(), v.me.Account.ID)
	if err != nil {
		return err
	}
	defer sent()
	var body bytes.Buffer
	if err = func() error { defer made(); return s.writeDiff(v, &body) }(); err == nil {
		v.answer(http.StatusOK, body.Bytes())
	}
	return err
}

// writeDiff renders the page of a comparison.
func (s versions) writeDiff(v *visit, to *bytes.Buffer) error {
	ctx, page := v.r.Context(), diffPage{N: number(v.r.PathValue("n"))}
	var err error
	if page.Managed, err = s.own.manage(v); err != nil {
		return err
	}
	list, err := s.reader.Versions(ctx, v.by, string(v.ownID()), 2, strconv.Itoa(page.N+1))
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list.Versions, func(one sandlot.VersionView) bool { return one.N == page.N })
	if at < 0 || page.N == 0 || !list.Versions[at].Known {
		return sandlot.ErrNotFound
	}
	name := v.r.URL.Query().Get("file")
	i := slices.IndexFunc(list.Versions[at].Files, func(c sandlot.FileChange) bool { return c.Name == name })
	if i < 0 {
		return sandlot.ErrNotFound
	}
	page.Change = list.Versions[at].Files[i]
	if page.Change.Size >= 0 {
		if page.New, err = s.compared(v, ctx, list.Versions[at], page.Change.Name); err != nil {
			return err
		}
	}
	if page.Change.Before >= 0 {
		from := page.Change.From
		if from == "" {
			from = page.Change.Name
		}
		if page.Old, err = s.compared(v, ctx, list.Versions[at+1], from); err != nil {
			return err
		}
	}
	if err := s.compare(v, ctx, &page); err != nil {
		return err
	}
	return v.render(to, "own_diff.html", v.T("own.diff-title", "name", texts.Isolated(name), "version", page.N), page)
}

// compared returns one of the files of a comparison.
func (s versions) compared(v *visit, ctx context.Context, of sandlot.VersionView, name string) (*comparedFile, error) {
	found, err := s.reader.File(ctx, v.by, string(v.ownID()), name, of.N)
	if err != nil {
		return nil, err
	}
	f := &comparedFile{File: found.File, Version: of.N}
	if of.Address != "" && showable(found.File) {
		f.Picture = fileAddress(of.Address, name)
	}
	return f, nil
}

// compare sets the difference of the page, or the reason for showing none.
func (s versions) compare(v *visit, ctx context.Context, page *diffPage) error {
	var texts [2]string
	for i, f := range []*comparedFile{page.Old, page.New} {
		switch {
		case f == nil:
			continue
		case !readable(f.File):
			page.Why = v.T("own.diff-binary")
		case f.Blob.Size > maxCompared:
			page.Why = v.T("own.diff-large", "size", v.Size(maxCompared))
		}
		if page.Why != "" {
			return nil
		}
		var err error
		if texts[i], err = s.text(ctx, f.File); err != nil {
			return err
		}
	}
	if page.Change.From != "" {
		page.Why = v.T("own.diff-moved")
		return nil
	}
	page.Diff = compareTexts(texts[0], texts[1], diffLines)
	if len(page.Diff.Hunks) == 0 {
		page.Why = v.T("own.diff-same")
	}
	return nil
}

// text reads a file of at most maxCompared bytes.
func (s versions) text(ctx context.Context, f sandlot.File) (string, error) {
	r, err := s.service.Contents.Open(ctx, f.Blob, 0, -1)
	if err != nil {
		return "", err
	}
	defer r.Close()
	var b strings.Builder
	_, err = io.Copy(&b, io.LimitReader(r, maxCompared))
	return b.String(), err
}

// readable reports whether a file's bytes are text, and its name is not one of a picture, sound or film.
func readable(f sandlot.File) bool {
	kind := mediatype.Of(f.Name, true)
	group, _, _ := strings.Cut(kind, "/")
	return f.Blob.Text && (kind == "image/svg+xml" || group != "image" && group != "audio" && group != "video")
}

// showable reports whether a file is a picture that a page may load as it is. Browsers run nothing in a picture.
func showable(f sandlot.File) bool {
	return f.Blob.Size > 0 && f.Blob.Size <= maxShown && strings.HasPrefix(mediatype.Of(f.Name, false), "image/")
}

// fileAddress returns the address of a file below the address of a version or a project.
func fileAddress(base, name string) string {
	return base + strings.ReplaceAll((&url.URL{Path: name}).EscapedPath(), "+", "%2B")
}

// sign returns the mark of a line for readers who cannot see its colour.
func sign(l diffLine) string { return string([]rune(" −+")[l.Kind]) }

// Code returns the beginning of a line of a file as HTML.
func (v view) Code(text string) template.HTML {
	letters, more := []rune(text), ""
	if len(letters) > maxDiffLine {
		rest := esc(v.T("own.diff-cut", "n", len(letters)-maxDiffLine))
		letters, more = letters[:maxDiffLine], `<span class="code-cut">`+rest+`</span>`
	}
	return template.HTML(esc(strings.Map(texts.Legible, string(letters))) + more)
}

// Pictured reports whether either file is shown as a picture.
func (p diffPage) Pictured() bool {
	return p.Old != nil && p.Old.Picture != "" || p.New != nil && p.New.Picture != ""
}

// The kinds of a diffLine.
const (
	lineSame = iota // in both texts
	lineGone        // in the old text alone
	lineNew         // in the new text alone
)

// A diffLine is a line of either text of a comparison, or of both.
type diffLine struct {
	Kind     int
	Old, New int    // its line numbers, from 1; 0 in the text that lacks it
	Text     string // without the line feed
}

// A textDiff is the difference between two texts.
type textDiff struct {
	Hunks     [][]diffLine // the differing lines, each with three lines around it, in order
	Gone, New int          // the counts of differing lines, including those not in Hunks
	More      bool         // whether Hunks is incomplete
}

// compareTexts compares two texts of at most maxCompared bytes, in time that grows little faster than their length. The
// hunks have at most most lines and maxDiffShown bytes in all.
func compareTexts(before, after string, most int) (d textDiff) {
	was, is := 0, 0 // the numbers of the next lines
	size := 0
	for text := range strings.Lines(string(diff.Diff("", []byte(before), "", []byte(after)))) {
		kind := strings.IndexByte(" -+", text[0])
		switch {
		case text[0] == '@':
			var n int
			_, _ = fmt.Sscanf(text, "@@ -%d,%d +%d,%d @@", &was, &n, &is, &n)
			d.Hunks = append(d.Hunks, nil)
			continue
		case len(d.Hunks) == 0 || kind < 0: // a line of the header, or a note that the last line has no line feed
			continue
		}
		l := diffLine{Kind: kind, Text: strings.TrimSuffix(text[1:], "\n")}
		if kind != lineNew {
			l.Old, was = was, was+1
		}
		if kind != lineGone {
			l.New, is = is, is+1
		}
		d.Gone, d.New = d.Gone+l.Kind%2, d.New+l.Kind/2
		size += min(len(l.Text), 4*maxDiffLine)
		if most--; most < 0 || size > maxDiffShown {
			d.More = true
			continue
		}
		d.Hunks[len(d.Hunks)-1] = append(d.Hunks[len(d.Hunks)-1], l)
	}
	return d
}
