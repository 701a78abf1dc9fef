package check_test

import (
	"os"
	"strings"
	"testing"

	"sandlot/internal/format/check"
	"sandlot/internal/testkit/expect"
)

// codesOf are the codes that the check says of one script of a page.
func codesOf(script string) (codes string) {
	v := one(head + `<script type=module src=a.js></script>`)
	add(&v, "a.js", []byte(script))
	for _, f := range v.Findings() {
		codes += string(f.Code) + " "
	}
	return strings.TrimSpace(codes)
}

func TestRegressionM51AScriptThatIsCutAnywhereIsTold(t *testing.T) {
	text, err := os.ReadFile("../../../examples/runnel/game.js")
	expect.OK(t, err)
	begins := strings.Index(string(text), "function")
	told, cuts := 0, 0
	for at := begins + 200; at < len(text); at += 31 {
		if cuts++; strings.HasPrefix(codesOf(string(text[:at])), "cut_off") {
			told++
		}
	}
	if told*100 < cuts*90 { // between two statements of the top nothing is cut
		t.Errorf("%d of %d cuts are told", told, cuts)
	}
	for _, end := range []string{"call(1, ", "list = [1, 2", "x = y +", "let a = 'tex", "let a = `tex", "/* note", "x = a ? b", "class A { b() { return 1; }", "s.replace(/[a-z", "items.map(i =>", "for (const a of"} {
		expect.Equal(t, "code of a script that ends with "+end, codesOf("let x = 1;\n"+end), "cut_off")
	}
}

func TestRegressionM15AScriptThatDoesNotParseIsTold(t *testing.T) {
	says(t, one(head+"<script>\nlet a = 1;\nlet b == 2;\n</script>"), `does_not_parse index.html:3:7 does not parse ("unexpected == in let declaration")`)
	for _, script := range []string{"const a = 1; const a = 2;", "function f() { return }}", "function f() {\n}\n}", "const a = {b: 1 c: 2};", "if (a { b() }", "let s = 'it's';", "import x from './x.js", "function f() { await x() }"} {
		if got := codesOf(script + "\nlet z = 1;"); !strings.HasPrefix(got, "does_not_parse") {
			t.Errorf("%s: %q", script, got)
		}
	}
}

// TestRegressionM15WhatBrowsersRunParses: syntax that is newer than the parser, or older, is no fault.
func TestRegressionM15WhatBrowsersRunParses(t *testing.T) {
	for _, script := range []string{
		"await x(); for await (const a of b) {} export const c = await d;", "class A { #x = 1; static #y; static { this.#y = 2 } get #z() { return #x in this } accessor w = 1 }",
		`/[\p{L}--[a-z]]/v.test(x); /(?<=a)(?<year>\d)/dgs; if (x) /re/.test(y); a = b / c / d`, "let a = 017; x = '\\07'", "using a = b(); await using c = d()",
		"import data from 'https://a.example/d.json' with { type: 'json' };\nlet z = 1", "@dec class A { @dec m() {} }", "if (a) function f() {}", "for (var i = 0 in {}) ;", "var await = 1, yield_ = 2, async = 3, of = 4; let get = set",
		"a ??= b?.[c]?.(d) ?? 1_000n; x = `a${`b${c}`}d`", "label: for (;;) { continue label }", "<!-- old\nvar a = 1\n--> old", "#!/usr/bin/env node\n1", "const f = () => {}\n[1].map(f)", "\ufeffvar a = 1", `{"project": ["made by a tool"]}`, "let x = " + strings.Repeat("1 + ", 2000) + "1",
	} {
		if got := strings.ReplaceAll(codesOf(script), "other_hosts", ""); got != "" {
			t.Errorf("%s: %q", script[:min(len(script), 60)], got)
		}
	}
	v := one(head + `<script src=a.js></script><script type=text/babel src=b.js></script><script type=text/babel>const A = () => <p>Hi</p></script><script type=x-shader>void main() {}</script>`)
	add(&v, "a.js", []byte("1"))
	add(&v, "b.js", []byte("const B = () => <p>Hi</p>; let a: number = 1;"))
	says(t, v)
	says(t, check.Version{Primary: "index.html", Looks: []*check.Look{check.At("b.js", []byte("const B = () => <p>Hi</p>"), true)}})
	says(t, one(head+`<svg><script>a &lt; b</script></svg><script><!-- <script> </script> --></script>`))
}

// TestRegressionM51TheParserIsNotMadeDear: whatever scripts are made of, the parser takes a bounded number of steps for
// all of a call.
func TestRegressionM51TheParserIsNotMadeDear(t *testing.T) {
	nested := strings.Repeat("{var b;", 150) + strings.Repeat("}", 150)
	for name, script := range map[string]string{
		"deep": strings.Repeat("(", 1000), "nested": string(repeat(nested, 400_000)) + "let b == 1;", "arrows": "x = " + strings.Repeat("a => ", 60_000) + "1 +;",
		"slashes": "a = {} / 2; let b == 1", "large": "let b == 1;" + string(repeat("let a%d = b%d(c%d);", check.Sample+10)),
	} {
		if got := codesOf(script); strings.Contains(got, "does_not_parse") {
			t.Errorf("%s was parsed: %q", name, got)
		}
	}
	v := check.Version{Primary: "index.html"}
	wrong := string(repeat("let b = {c: f(d%d)};", 100_000)) + "let b == 1;"
	for range 30 {
		v.Look("a.js", []byte(wrong), true)
	}
	if n := strings.Count(told(v), "does_not_parse"); n == 0 || strings.Contains(told(v), "And 2") {
		t.Errorf("of thirty scripts too many, or none, were parsed: %s", told(v))
	}
}
