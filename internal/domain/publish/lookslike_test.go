package publish_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestRegression17JunkThatBecomesThePageIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	page := "<!doctype html><title>Cats</title><canvas></canvas>"
	junk := map[string][2]string{ // the words that name the kind of junk
		"a ZIP archive":                     {"PK\x03\x04\x14\x00\x00\x00", "a ZIP archive"},
		"a tar archive":                     {strings.Repeat("index.html\x00", 24)[:257] + "ustar\x0000", "a tar archive"},
		"a PNG":                             {"\x89PNG\r\n\x1a\n\x00\x00", "a PNG picture"},
		"a JPEG":                            {"\xff\xd8\xff\xe0\x00\x10JFIF", "a JPEG picture"},
		"a WebP":                            {"RIFF\x00\x00\x00\x00WEBPVP8 ", "a WebP picture"},
		"a PDF":                             {"%PDF-1.7\n", "a PDF document"},
		"WebAssembly":                       {"\x00asm\x01\x00\x00\x00", "a WebAssembly program"},
		"noise":                             {"\x01\x00\x92\xfe\x00\x11", "binary data"},
		"a bare script":                     {"const canvas = document.querySelector('canvas');\ncanvas.innerHTML = '<b>x</b>';", "a bare script"},
		"a script after a comment":          {"// My game\n/* by me */\nfunction loop() {}\nloop();", "a bare script"},
		"a script in strict mode":           {"'use strict';\nlet x = 1;", "a bare script"},
		"an arrow function":                 {"(() => { document.body.innerHTML = `<div></div>`; })();", "a bare script"},
		"a call":                            {"document.body.innerHTML = '<p>hi</p>'", "a bare script"},
		"a module":                          {"import * as THREE from 'three';\n", "a bare script"},
		"a style sheet":                     {"body {\n  margin: 0;\n}\n", "a style sheet"},
		"Markdown fences":                   {"```html\n" + page + "\n```\n", "Markdown with a fenced block"},
		"prose and Markdown fences":         {"Here is your game:\n\n```html\n" + page + "\n```\nHave fun!", "Markdown with a fenced block"},
		"a byte order mark before a fence":  {"\ufeff```html\n" + page + "\n```", "Markdown with a fenced block"},
		"Markdown":                          {"# My game\n\nIt is fun.", "Markdown"},
		"the name of a file":                {"index.html", "the name of a file"},
		"the path of a file":                {"@./my game/index.htm\n", "the name of a file"},
		"words about a file":                {"Open the file index.html", "plain words"},
		"plain words":                       {"Here is the game you asked for.", "plain words"},
		"plain words in another script":     {"これはゲームです。", "plain words"},
		"escaped HTML":                      {"&lt;!doctype html&gt;&lt;p&gt;", "written as &lt;"},
		"HTML in a JSON string":             {`"<!doctype html>\n<p>"`, "HTML inside a JSON string"},
		"JSON":                              {`{"levels": [1, 2]}`, "JSON"},
		"a heart and no element":            {"<3 cats", "plain words"},
		"a data: URL":                       {"data:text/html;base64,PGh0bWw+", "plain words"},
		"a program in PHP":                  {"<?php echo 1;", "PHP source"},
		"nothing but blanks":                {" \n\n", "blank text"},
		"a comment of JavaScript and words": {"/* nothing yet */", "plain words"},
	}
	for name, j := range junk {
		t.Run(name+" on publish", func(t *testing.T) {
			told(t, w.publish(w.account(), j[0]).Warnings, "not_html", j[1])
		})
	}
	t.Run("on update of the page, and of no other file", func(t *testing.T) {
		out := w.publish(by, page)
		told(t, w.put(by, out.Project.ID, "index.html", junk["a bare script"][0]).Warnings, "not_html", "a bare script")
		expect.Same(t, "game.js", codes(w.put(by, out.Project.ID, "game.js", junk["a bare script"][0]).Warnings), nil)
		expect.Same(t, "part.html", codes(w.put(by, out.Project.ID, "part.html", "words").Warnings), nil)
	})
	t.Run("in the first answer and in the same answer again", func(t *testing.T) {
		for range 2 {
			out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage("PK\x03\x04"), Idempotency: "again"})
			expect.OK(t, err)
			told(t, out.Warnings, "not_html", "a ZIP archive")
		}
	})
}

func TestRegression17NoPageIsTakenForJunk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	for name, text := range map[string]string{
		"a document":                           "<!doctype html><title>Cats</title>",
		"a document in capitals":               "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\"><HTML><BODY>",
		"a fragment":                           "<canvas id=c></canvas><script>let x = 1</script>",
		"a bare element":                       "<p>",
		"a custom element":                     "<my-game></my-game>",
		"an element of no standard":            "<game></game>",
		"a comment first":                      "<!-- made by hand -->\n<p>Hi",
		"blanks and a byte order mark first":   "\ufeff\n\n  <html lang=ja><body>ねこ",
		"SVG":                                  `<svg xmlns="http://www.w3.org/2000/svg"></svg>`,
		"XHTML":                                `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"></html>`,
		"words first":                          "Hello <b>world</b>, press a key.",
		"words of another script first":        "Привет, <i>мир</i>",
		"a word with a bracket first":          "Score (best): <span id=s>0</span>",
		"words that scripts begin with":        "Let me show you: <canvas></canvas>",
		"a line of a script before a document": "// index.html\n<!doctype html>\n<p>Hi",
		"fences inside a page":                 "<h1>How to</h1>\n<pre>\n```js\nlet x\n```\n</pre>",
		"UTF-16":                               "\xff\xfe<\x00p\x00>\x00H\x00i\x00",
		"Latin-1":                              "<p>caf\xe9 au lait",
		"a template":                           "{{#each}}<div>{{x}}</div>{{/each}}",
		"a tag at the very end":                "Press here <br>",
	} {
		t.Run(name, func(t *testing.T) { expect.Same(t, "warnings", codes(w.publish(by, text).Warnings), nil) })
	}
}

func TestRegression17FilesThatAreBase64AgainAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	id := w.publish(by, "<!doctype html><p>Cats").Project.ID
	twice := base64.StdEncoding.EncodeToString
	css, js := "body { margin: 0; color: black }\n", "const speed = 3;\nfunction loop() {}\n"
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00"
	for name, text := range map[string]string{
		"style.css": twice([]byte(css)), "game.js": twice([]byte(js)), "game.mjs": base64.RawURLEncoding.EncodeToString([]byte(js)), "cat.png": twice([]byte(png)),
		"packed.js": twice([]byte("\x1f\x8b\x08\x00" + strings.Repeat("x", 30))), "lines.css": twice([]byte(css))[:20] + "\r\n" + twice([]byte(css))[20:] + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second is the same answer again
				up, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: string(id), Filename: name, Content: w.stage(text), Idempotency: name})
				expect.OK(t, err)
				told(t, up.Warnings, "double_encoded", name)
				if w.text(id, up.Project.Version, name) != text {
					t.Error("it was not stored as it came")
				}
			}
		})
	}
	for name, text := range map[string]string{
		"style.css": css, "game.js": js, "cat.png": png, "id.js": "gameOver", "words.txt": "hello", "number.json": "1234567890123456789012345678901234567890",
		"token.txt": "3q2+7wAAAAEAAAACAAAAAwAAAAQAAAAF", "data.b64": twice([]byte(css)), "min.js": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/bbbb",
	} {
		t.Run("not "+name, func(t *testing.T) { expect.Same(t, "warnings", codes(w.put(by, id, name, text).Warnings), nil) })
	}
	t.Run("a page is refused", func(t *testing.T) {
		_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(twice([]byte("<!doctype html><p>Cats")))})
		if e := sandlot.AsError(err); e == nil || e.Code != sandlot.CodeDoubleEncoded {
			t.Errorf("got %v", err)
		}
	})
}

// told fails the test unless there is one warning of that code which says the words
// and what to do.
func told(t *testing.T, warnings []sandlot.Warning, code, words string) {
	t.Helper()
	if len(warnings) != 1 || warnings[0].Code != code || !strings.Contains(warnings[0].Message, words) || warnings[0].Hint == "" {
		t.Errorf("got %+v, want %s about %s", warnings, code, words)
	}
}
