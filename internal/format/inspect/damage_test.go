package inspect_test

import (
	"strings"
	"testing"

	"sandlot/internal/format/inspect"
	"sandlot/internal/testkit/expect"
)

func TestRegressionM50ATextThatWasDamagedIsKnown(t *testing.T) {
	const whole = "<!doctype html>\n<html><head><title>A</title></head><body>Hi there</body></html>\n"
	for _, c := range []struct{ name, text, want string }{
		{"index.html", whole, ""},
		{"index.html", "--- a/index.html\n+++ b/index.html\n@@ -1,2 +1,2 @@\n-a\n+b\n", "diff"},
		{"a.js", "diff --git a/a.js b/a.js\nindex 1..2\n", "diff"},
		{"a.js", "*** Begin Patch\n*** Update File: a.js\n", "diff"},
		{"a.css", "Here is the change:\n\n```diff\n--- a.css\n+++ a.css\n@@ -1 +1 @@\n", "diff"},
		{"a.js", "let a = 1;\n<<<<<<< HEAD\nlet b = 2;\n=======\nlet b = 3;\n>>>>>>> main\n", "merge"},
		{"a.js", "```js\nlet a = 1;\n```\n", "fences"},
		{"a.js", "let a = 1;\n```\n", "fences"},
		{"index.html", whole + "```\n\nThis game is fun.", "fences"},
		{"index.html", whole + strings.Repeat("x", 20<<10) + "</html>\n```", "fences"},
		{"index.html", "Here is your finished game:\n\n" + whole, "words"},
		{"index.html", whole + "\nI changed the colours and the speed.", "words"},
		{"a.js", "Here is the updated script with your changes:\n\nlet a = 1;", "words"},
		{"a.json", "Sure, this is the level file: \n{}", "words"},
		{"index.html", "\ufeff<!-- made by hand in one night -->\n" + whole + "<!-- the end of the page -->", ""},
		{"index.html", whole + "<script>let a = 1</script>", ""},
		{"a.js", "// here is some code that works\nexport default async function main() {}", ""},
		{"a.js", "async function loadAll() {\n  return `\n```\n`\n}", ""},
		{"a.css", "header nav ul li a {\n}", ""},
		{"a.js", "/* ```js\nlet a\n``` */ let b = '--- a\\n+++ b\\n@@ -1'", ""},
		{"a.md", "```js\nlet a = 1;\n```\n", ""},
		{"a.patch", "--- a\n+++ b\n@@ -1 +1 @@\n", ""},
	} {
		in := inspect.New()
		_, err := in.Write([]byte(c.text))
		expect.OK(t, err)
		seems, ok := in.Findings().Damage.Damaged(c.name)
		if ok != (c.want != "") || !strings.Contains(seems.What, c.want) {
			t.Errorf("%s %q: %q", c.name, c.text[:min(len(c.text), 60)], seems.What)
		}
	}
}

func TestRegressionM15ATextThatWasEscapedIsKnown(t *testing.T) {
	for text, want := range map[string]bool{
		`<!doctype html>\n<html lang=\"en\">\n<body>\n</body>`: true,
		`body {\n  margin: 0;\n}\n`:                            true,
		`{\n  \"a\": 1,\n  \"b\": 2\n}`:                        true,
		`const a = 1;\nlet b = \"x\";\nc();\n`:                 true,
		`x.replace(/\"/g,"\n").split("\n").join("\n")`:         false,
		`let a="one;\ntwo;\nthree;\n"`:                         false,
		"const a = 1;\nlet b = '\\n\\n\\n';\n":                 false,
	} {
		in := inspect.New()
		_, err := in.Write([]byte(text))
		expect.OK(t, err)
		expect.Equal(t, "escaped "+text, in.Findings().Damage.Escaped("a.js"), want)
	}
}
