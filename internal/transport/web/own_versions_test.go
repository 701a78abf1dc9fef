package web

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestAFileIsComparedWithTheVersionBefore(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.put(gameID, 3, "a.js", "one\nif (x /*\u202e*/) <i>\n"+strings.Repeat("y", 2*maxDiffLine))
	h.put(gameID, 4, "a.js", "one\nelse\n\x00"+strings.Repeat("z", 5))
	last := "one\nelse\n\x00" + strings.Repeat("z", 5)
	h.rearrange(gameID, 5, publish.Change{Drop: []sandlot.File{fileOf("a.js", last)}, Put: []sandlot.File{fileOf("c.js", last), fileOf("p.png", "\x89PNG")}})
	for target, wants := range map[string][]string{
		"/versions/5/diff?file=a.js":  {`<tr class="line-gone"><td>2</td><td></td><td>−`, "if (x /*\ufffd*/) &lt;i&gt;", "\ufffdzzzzz", `<tr class="line-new"><td></td><td>2</td>`, "… et 600"},
		"/versions/4/diff?file=a.js":  {`<tr class="line-new"><td></td><td>1</td>`},
		"/versions/6/diff?file=c.js":  {"Seul le nom a changé", "<bdi>a.js</bdi>"},
		"/versions/6/diff?file=p.png": {"pas du texte", "--v6-0123456789.", "/p.png"},
		"/versions":                   {"/versions/6/diff?file=c.js", "renommé", "/versions/5/diff?file=a.js"},
		"/file?name=a.js&version=4":   {"if (x"},
		"?in=nothing%2F":              {"<bdi>c.js</bdi>"},
	} {
		resp := asKim(h, "GET", ownAt+target, "")
		body := text(t, resp)
		for _, want := range wants {
			if resp.StatusCode != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s is %d and has no %s", target, resp.StatusCode, want)
			}
		}
		if kind := resp.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") && (strings.Contains(body, "<i>") || strings.Contains(body, "\u202e")) {
			t.Errorf("%s has what acts", target)
		}
	}
	file := asKim(h, "GET", ownAt+"/file?name=c.js", "")
	expect.Equal(t, "a file is saved", file.Header.Get("Content-Disposition")+file.Header.Get("Content-Type"), "attachment; filename=c.jsapplication/octet-stream")
	for _, target := range []string{"/versions/9/diff?file=a.js", "/versions/0/diff?file=a.js", "/versions/x/diff?file=a.js", "/versions/5/diff?file=b.js", "/versions/5/diff", "/file?name=b.js", "/file?name=a.js&version=1", "/file?name=a.js&version=x", "/file", "/file?name=..%2Fa.js", "/file?name=" + strings.Repeat("x", 600), "/versions/5/diff?file=..%2Fa.js"} {
		expect.Equal(t, target, asKim(h, "GET", ownAt+target, "").StatusCode, http.StatusNotFound)
	}
	for _, target := range []string{"/versions/2/diff?file=a.js", "/file?name=a.js"} {
		expect.Equal(t, "another's "+target, asKim(h, "GET", "/account/projects/other-abc123"+target, "").StatusCode, http.StatusNotFound)
	}
}

func TestWhatChangedUnderAnOpenPageIsToldAndNothingIsLost(t *testing.T) {
	t.Parallel()
	h := house(t)
	page := text(t, asKim(h, "GET", ownAt, ""))
	seen := strings.Split(strings.SplitAfter(page[strings.Index(page, `id="details"`):], `name="seen" value="`)[1], `"`)[0]
	before := h.state()
	resp := asKim(h, "POST", ownAt+"/restore", "n=1&form_token=o&seen=2")
	if body := text(t, resp); resp.StatusCode != http.StatusPreconditionFailed || !strings.Contains(body, "rien n’a été restauré") || !strings.Contains(body, `name="seen" value="3"`) || h.state() != before {
		t.Errorf("a restore of an old page is %d, it is now %s", resp.StatusCode, h.state())
	}
	for path, form := range map[string]string{"/move": "file=%3Cb%3E.js&to=typed.js", "/remove": "file=%3Cb%3E.js", "/primary": "file=%3Cb%3E.js"} {
		resp = asKim(h, "POST", ownAt+path, form+"&form_token=o&seen=2")
		body := text(t, resp)
		if resp.StatusCode != http.StatusPreconditionFailed || !strings.Contains(body, "encore été fait") || path == "/move" && !strings.Contains(body, `value="typed.js"`) || h.state() != before {
			t.Errorf("%s of an old page is %d, it is now %s", path, resp.StatusCode, h.state())
		}
	}
	for _, name := range []string{"c.js", "c.zip"} {
		body, kind := filledForm(url.Values{"form_token": {"o"}, "seen": {"2"}, "unpack": {"1"}, "folder": {"x"}}, name, zipOf(t, "c.js", "c"))
		if resp := sendTo(h, body, kind); resp.StatusCode != http.StatusPreconditionFailed || h.state() != before {
			t.Errorf("an upload of %s from an old page is %d, it is now %s", name, resp.StatusCode, h.state())
		}
	}
	h.describe(publish.Details{Title: "Meanwhile"})
	typed := "title=Typed&description=also+typed&lang=de&listed=1&seen="
	resp = asKim(h, "POST", ownAt, typed+url.QueryEscape(seen))
	body := text(t, resp)
	if resp.StatusCode != http.StatusPreconditionFailed || !strings.Contains(h.state(), "{Meanwhile") {
		t.Errorf("details of an old page are %d, it is now %s", resp.StatusCode, h.state())
	}
	for _, want := range []string{`value="Typed"`, "also typed", `value="de"`, "modifiés ailleurs"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	seen = strings.Split(strings.SplitAfter(body[strings.Index(body, `id="details"`):], `name="seen" value="`)[1], `"`)[0]
	if resp = asKim(h, "POST", ownAt, typed+url.QueryEscape(seen)); resp.StatusCode != http.StatusSeeOther || !strings.Contains(h.state(), "{Typed also typed") {
		t.Errorf("saved again it is %d, %s", resp.StatusCode, h.state())
	}
	resp = asKim(h, "POST", ownAt, typed[:strings.Index(typed, "lang=")]+"lang=%3Cb%3E")
	if body := text(t, resp); resp.StatusCode != 422 || !strings.Contains(body, "code de langue") || !strings.Contains(body, `value="&lt;b&gt;"`) {
		t.Errorf("a language that is none is %d", resp.StatusCode)
	}
}

// filledForm is a form of words, and files after them: names and bytes in turns.
func filledForm(words url.Values, files ...string) (io.Reader, string) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name := range words {
		_ = w.WriteField(name, words.Get(name))
	}
	for i := 0; i+1 < len(files); i += 2 {
		part, _ := w.CreateFormFile("files", files[i])
		_, _ = io.WriteString(part, files[i+1])
	}
	_ = w.Close()
	return &body, w.FormDataContentType()
}

func zipOf(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i+1 < len(files); i += 2 {
		_, err := io.WriteString(must(w.Create(files[i]))(t), files[i+1])
		expect.OK(t, err)
	}
	expect.OK(t, w.Close())
	return b.String()
}

func TestAZIPBringsItsFilesAndAFileIsReplacedUnderItsName(t *testing.T) {
	t.Parallel()
	h := house(t)
	packed := zipOf(t, "lib/a.js", "one", "index.html", "<p>new")
	body, kind := filledForm(url.Values{"form_token": {"o"}, "unpack": {"1"}}, "game.ZIP", packed)
	if resp := sendTo(h, body, kind); resp.StatusCode != http.StatusSeeOther || !strings.HasPrefix(h.state(), "4 index.html [<b>.js index.html lib/a.js]") {
		t.Errorf("%d, it is now %s", resp.StatusCode, h.state())
	}
	body, kind = filledForm(url.Values{"form_token": {"p"}, "as": {"lib/a.js"}}, "other name.txt", "two")
	if resp := sendTo(h, body, kind); resp.StatusCode != http.StatusSeeOther || h.in.Text(gameID, 5, "lib/a.js") != "two" {
		t.Errorf("%d, it is now %s", resp.StatusCode, h.state())
	}
	body, kind = filledForm(url.Values{"form_token": {"q"}}, "kept.zip", packed)
	if resp := sendTo(h, body, kind); resp.StatusCode != http.StatusSeeOther || !strings.Contains(h.state(), "kept.zip") {
		t.Errorf("%d, it is now %s", resp.StatusCode, h.state())
	}
	// Into the folder that is looked at, where it may lie deeper; the same form again changes nothing; the folder of a whole project is taken off.
	for range 2 {
		body, kind = filledForm(url.Values{"form_token": {"r"}, "unpack": {"1"}, "folder": {"levels/"}}, "art.zip", zipOf(t, "index.html", "<p>level", "a.png", "x"))
		if resp := sendTo(h, body, kind); resp.StatusCode != http.StatusSeeOther || !strings.HasPrefix(h.state(), "7 index.html [") || h.in.Text(gameID, 7, "index.html") != "<p>new" || h.in.Text(gameID, 7, "levels/index.html") != "<p>level" {
			t.Errorf("in a folder: %d, it is now %s", resp.StatusCode, h.state())
		}
	}
	body, kind = filledForm(url.Values{"form_token": {"s"}, "unpack": {"1"}}, "game.zip", zipOf(t, "game/index.html", "<p>newer", "game/b.js", "b"))
	if resp := sendTo(h, body, kind); resp.StatusCode != http.StatusSeeOther || h.in.Text(gameID, 8, "index.html") != "<p>newer" || strings.Contains(h.state(), "game/") {
		t.Errorf("with a folder around it: %d, it is now %s", resp.StatusCode, h.state())
	}
	for name, files := range map[string][]string{"no archive": {"a.zip", "PK"}, "beside another": {"a.zip", packed, "b.js", "b"}, "beside another before": {"b.js", "b", "a.zip", packed}, "with a bad name": {"a.zip", zipOf(t, "../x", "x")}} {
		h.in.Unchanged(t, func() {
			body, kind := filledForm(url.Values{"form_token": {name}, "unpack": {"1"}}, files...)
			if resp := sendTo(h, body, kind); resp.StatusCode != 422 {
				t.Errorf("a ZIP %s is %d", name, resp.StatusCode)
			}
		})
	}
}

func TestAComparisonHasABoundedPageWhateverIsInTheFiles(t *testing.T) {
	t.Parallel()
	h := house(t)
	for i, of := range []string{
		strings.Repeat(strings.Repeat("\x01", 100)+"\n", 2_500), strings.Repeat(strings.Repeat("<", 599)+"\n", 430), strings.Repeat("\n", maxCompared), strings.Repeat("\r", maxCompared),
	} {
		h.put(gameID, 3+i, "a.txt", of)
	}
	for _, version := range []string{"4", "5", "6", "7"} {
		resp := asKim(h, "GET", ownAt+"/versions/"+version+"/diff?file=a.txt", "")
		body := text(t, resp)
		if resp.StatusCode != http.StatusOK || len(body) > 2<<20 || !strings.Contains(body, "<tr class=") {
			t.Errorf("of version %s the page is %d and has %d bytes", version, resp.StatusCode, len(body))
		}
	}
}

func TestOneComparisonAtATimeIsMade(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.put(gameID, 3, "a.txt", "one")
	h.put(gameID, 4, "a.txt", "two")
	made, sent, err := h.comparisons.Begin(t.Context(), 1<<40) // another account's
	expect.OK(t, err)
	defer sent()
	answer := make(chan int)
	go func() { answer <- asKim(h, "GET", ownAt+"/versions/5/diff?file=a.txt", "").StatusCode }()
	testenv.Eventually(t, 30*time.Second, "the account's comparison is on its way", func() bool { return h.comparisons.Busy(h.kim.account.ID) })
	select {
	case status := <-answer:
		t.Errorf("it is answered with %d before its turn", status)
	default:
	}
	made()
	expect.Equal(t, "the answer", <-answer, http.StatusOK)
}

func TestADiffLeadsFromOneTextToTheOther(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(40) {
			fmt.Fprintf(&b, "%d\n", r.IntN(1+r.IntN(60)))
		}
		return b.String() + []string{"", "\\ No newline\n", "@@ -1,1 +1,1 @@\n--- a\n+++ b\n"}[r.IntN(3)]
	}
	for range 500 {
		a, b := text(), text()
		was, is := strings.Split(a, "\n"), strings.Split(b, "\n")
		for _, hunk := range compareTexts(a, b, 10_000).Hunks {
			for _, l := range hunk {
				if l.Old > 0 && was[l.Old-1] != l.Text || l.New > 0 && is[l.New-1] != l.Text || l.Old+l.New == 0 {
					t.Fatalf("%q to %q has %+v", a, b, l)
				}
				if l.Kind == lineGone {
					was[l.Old-1] = ""
				}
				if l.Kind == lineNew {
					is[l.New-1] = ""
				}
			}
		}
		if strings.Join(was, "") != strings.Join(is, "") {
			t.Fatalf("%q to %q leaves %q and %q", a, b, was, is)
		}
	}
}

func TestADiffHasNoMoreLinesThanWantedAndCountsAll(t *testing.T) {
	d := compareTexts("", strings.Repeat("x\n", 100), 10)
	if n := len(d.Hunks[0]); n != 10 || !d.More || d.New != 100 || d.Gone != 0 {
		t.Errorf("%d lines of %d, more: %v", n, d.New, d.More)
	}
	was := make([]string, 5000)
	for i := range was {
		if was[i] = fmt.Sprintf("line %d", i); i%3 == 0 {
			was[i] = "}"
		}
	}
	is := append([]string(nil), was...)
	for i := range 1000 {
		is[i*5] = fmt.Sprint("other ", i)
	}
	if d := compareTexts(strings.Join(was, "\n"), strings.Join(is, "\n"), 5000); d.Gone != 1000 || d.New != 1000 {
		t.Errorf("of 1,000 changes there are %d and %d", d.Gone, d.New)
	}
}

func TestSoakTheWorstTextsAreComparedInABoundedTime(t *testing.T) {
	testenv.Unraced(t)
	r := rand.New(rand.NewPCG(5, 6))
	var x, y, p, q strings.Builder
	for i := range maxCompared / 2 {
		x.WriteString([]string{"a\n", "b\n"}[r.IntN(2)])
		y.WriteString([]string{"a\n", "b\n"}[r.IntN(2)])
		if i < 70_000 {
			fmt.Fprintf(&p, "%d\n", i)
			fmt.Fprintf(&q, "%d\n", 70_000-i)
		}
	}
	for name, c := range map[string][2]string{
		"two kinds of line": {x.String(), y.String()}, "lines in the other order": {p.String(), q.String()},
		"empty lines": {strings.Repeat("\n", maxCompared), strings.Repeat("\nx", maxCompared/2)},
		"long lines":  {strings.Repeat("x", maxCompared), strings.Repeat("y", maxCompared)},
		"no line":     {"", strings.Repeat("\n", maxCompared)},
	} {
		began := time.Now()
		compareTexts(c[0], c[1], 5000)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		} else {
			t.Log(name, took)
		}
	}
}
