package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sandlot/internal/format/check"
)

const head = `<!doctype html><html><head><meta name="viewport" content="width=device-width"><title>T</title></head><body>`

// says fails unless the findings have these codes, in that order, and each message contains the expected text.
func says(t *testing.T, v check.Version, want ...string) {
	t.Helper()
	found := v.Findings()
	var got []string
	for _, f := range found {
		got = append(got, string(f.Code)+": "+f.Message+" "+f.Hint)
	}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %d findings", got, len(want))
	}
	for i, w := range want {
		code, part, _ := strings.Cut(w, " ")
		if !strings.HasPrefix(got[i], code+": ") || !strings.Contains(got[i], part) {
			t.Errorf("got %q, want %q", got[i], w)
		}
	}
}

func TestAtMostFiveOfAKindAreToldAndThenHowMany(t *testing.T) {
	var b strings.Builder
	for i := range 17 {
		fmt.Fprintf(&b, "<img src=%d.png>\n", i)
	}
	says(t, one(b.String()), "missing_file 0.png", "missing_file 1.png", "missing_file 2.png", "missing_file 3.png", `missing_file "4.png", which is not in the project. And 12 more of this kind.`)
}

func TestRegressionM49AReferenceIsReadAsItIsServed(t *testing.T) {
	v := one("<img src='cafe\u0301.png'><img src='img//b.png'>")
	add(&v, "caf\u00e9.png", []byte("x"))
	add(&v, "img/b.png", []byte("x"))
	says(t, v)
}

func TestAFileThatIsMissingIsToldOnce(t *testing.T) {
	says(t, one(`<img src=a.png><img src="./a.png?x=1"><img src="x/../a.png#y"><div style="background:url('a.png')">`), "missing_file index.html:1:1")
}

func TestAPlaceIsALineAndAColumn(t *testing.T) {
	says(t, one("<p>é</p>\n\n  <img src=a.png><script>\nx\n fetch('b.json')</script>"), "missing_file index.html:3:3 ", "missing_file index.html:5:8 ")
}

func TestOtherHostsAreToldOnceAndWhetherQuarantineBlocksThem(t *testing.T) {
	v := one(`<script src=https://a.example/1.js></script><script src=https://a.example/2.js></script><img src=//b.example/x>`)
	says(t, v, "other_hosts a.example (index.html:1:1), b.example (index.html:1:89).")
	v.Place.Blocked = true
	says(t, v, "other_hosts quarantine blocks")
	v.Place.Told = "scripts from a.example"
	says(t, v, "other_hosts blocks: b.example (")
	v.Place.Told += "; pictures from b.example"
	says(t, v)
}

func TestMixedContentIsAWarningWhereThePageComesByHTTPS(t *testing.T) {
	v := one(`<script src=http://a.example/1.js></script><script>new WebSocket("ws://b.example/")</script>`)
	says(t, v, "other_hosts")
	v.Place.HTTPS = true
	says(t, v, "mixed_content Write https://", "mixed_content Write wss://", "other_hosts")
}

func TestAnAbsolutePathIsToldWhereTheProjectIsServedBelowAPath(t *testing.T) {
	v := one(`<script src=/a.js></script><script src=/b.js></script><link rel=icon href=/favicon.ico><script src=/.sandlot/player.js></script>`)
	add(&v, "a.js", nil)
	add(&v, "b.js", nil)
	says(t, v)
	v.Place.Path = "http://10.0.0.1/~/moon-abc123/"
	says(t, v, `absolute_path works at the project's own address`)
	v.Place.PathAlone = true
	says(t, v, `absolute_path The project's address is http://10.0.0.1/~/moon-abc123/`)
	if f := v.Findings()[0]; f.Hint != `Write "a.js" instead: that works at every address of the project. Vite does so with base: './'.` || !strings.HasSuffix(f.Message, "And 1 more of this kind.") {
		t.Errorf("%+v", f)
	}
}

func TestTheServicesOwnHostIsNotAnother(t *testing.T) {
	v := one(`<img src="http://localhost:8080/~/x/a.png"><img src="http://x.localhost:8080/a.png"><img src="http://localhost:9999/a.png">`)
	v.Place.Own = "localhost:8080"
	says(t, v, "local_address localhost:9999")
}

func TestAProjectWithItsThreadsSwitchedOnIsNotTold(t *testing.T) {
	v := one(head + `<script>const m = new SharedArrayBuffer(8)</script>`)
	says(t, v, "needs_threads index.html:1:")
	v.Place.Threads = true
	says(t, v)
}

func TestAProjectThatAPhoneWaitsForIsToldHowLong(t *testing.T) {
	v := one(head)
	v.Size, v.Count = 61_000_000, 12
	says(t, v, "slow_on_phones 61 MB in 12 files. If a page loads all of it, a phone with ten megabits a second takes 48 s.")
}

func TestWhatWasNotLookedAtMayHoldWhatIsMissing(t *testing.T) {
	v := one(head + `<script>addEventListener("keydown", e => e.key == "ArrowLeft")</script>`)
	says(t, v, "no_touch")
	v.All = false
	says(t, v)
	v.All = true
	v.Looks = append(v.Looks, check.At("big.js", []byte("x"), false))
	says(t, v)
}

func TestWithoutTheNamesOfAllFilesNoneIsJudged(t *testing.T) {
	v := one(head + `<img src=gone.png><script type=module>import a from "./a.js"; const all = ["x/a.png", "x/b.png"]</script>`)
	v.Names, v.Unlisted = nil, true
	says(t, v)
}

func TestAnEmptyVersionAndAFileThatIsNotReadSayNothing(t *testing.T) {
	if check.At("a.png", []byte("<img src=x>"), true) != nil || check.Reads("a.png") || !check.Reads("A.HTML") {
		t.Error("a picture is looked at")
	}
	says(t, check.Version{})
	says(t, one("\xff\xfe<\x00"))
}

// FuzzFindings: whatever a file holds, its findings are short, safe to show, and the same each time.
func FuzzFindings(f *testing.F) {
	for _, text := range []string{head, `<img src="a">`, "<script>import 'x'; `${`${a}`}` /[/]/ </script>", "<style>@import 'a'; b{c:url(d)}", `<script type=importmap>{"imports":{"a":"b/"}}`, `<base href="//x"><a href=../../b.html>`, "<!--", `<x srcset="a 1x,,b">`, "url('", "file:///C:\\x"} {
		f.Add("index.html", text)
		f.Add("js/a.js", text)
		f.Add("a.css", text)
		f.Add("manifest.json", text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		v := check.Version{Primary: name, All: true, Names: []string{name}, Place: check.Place{Path: "http://h/~/x/", HTTPS: true, Project: "x"}}
		if l := check.At(name, []byte(text), true); l != nil {
			v.Looks = append(v.Looks, l)
		}
		found := v.Findings()
		if len(found) > 5*len(check.Codes()) {
			t.Errorf("%d findings", len(found))
		}
		for _, f := range found {
			if f.Message == "" || f.Hint == "" || len(f.Message) > 3000 || len(f.Hint) > 1000 || !utf8.ValidString(f.Message+f.Hint) || strings.ContainsFunc(f.Message+f.Hint, unicode.IsControl) {
				t.Errorf("%+v", f)
			}
		}
		equal(t, v.Findings(), found)
		v.Unlisted, v.All = true, false
		v.Findings()
	})
}

func equal[T comparable](t *testing.T, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
