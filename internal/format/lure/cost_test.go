package lure_test

import (
	"strings"
	"testing"

	"sandlot/internal/format/lure"
)

// TestAHostileTextIsReadInStepsLinearInItsSize: whatever a text is made of, a step is one byte or one token, and each byte costs at most
// so many, beside the work that a version may cause.
func TestAHostileTextIsReadInStepsLinearInItsSize(t *testing.T) {
	const size, most = 1 << 18, 50
	nested := "<input name=a>"
	for len(nested) < size/2 {
		nested = script("document.write(atob('" + b64(nested+strings.Repeat(" ", len(nested))) + "'))")
	}
	for name, text := range map[string]string{
		"base64 in base64": nested, "parentheses": fill("(", size), "brackets": fill("[", size), "braces": fill("{a:", size), "closed": fill(")", size),
		"joins": fill(`"ab"+`, size), "joins over values": fill(`"ab"+a(b)[c]+`, size), "values": fill("a+", size), "lists": fill("[1,", size),
		"nested functions": fill("function(a){", size/2) + fill("})", size/2), "arrows": fill("a,", 1<<14) + fill(")=>", size), "conditions": fill(`a?"b":"c",`, size),
		"patterns": fill("=/[", size), "slashes": fill("=/a", size), "hashes": fill("#", size), "templates": fill("`${", size), "backslashes": fill(`\`, size),
		"escapes": `"` + fill(`\x41`, size) + `"`, "percents": `"` + fill("%25", size) + `"`, "entities": `"` + fill("&#38;", size) + `"`,
		"splits": fill(`"abcdef".split("").reverse().join("x")+`, size), "replaced": `a="` + fill("x", 500) + `";` + fill(`a.replace("x","`+fill("x", 500)+`");`, size),
		"a variable": `a="` + fill("x", 500) + `";b=""` + fill("+a", size), "sums": fill(`s+="<p>";`, size), "properties": fill(`e.type="aGVsbG8gd29ybGQ=";`, size),
		"packed": "eval(function(){}('" + fill("0 ", size/2) + "',36,9,'" + fill("long", size/2) + "|b'.split('|')))", "codes": "[" + fill("60,", size) + "60]",
		"tags in strings": fill(`"<a b='c'>";`, size), "moved": fill(`"`+fill("ab", 70)+`";`, size), "backwards": `"` + fill("tupni<", size) + `"`,
	} {
		l := lure.Look{Own: "game.example"}
		l.Read("main.js", []byte(text))
		if got := l.Steps(); got > most*len(text)+lure.MostWork {
			t.Errorf("%s: %d steps for %d bytes, %d each", name, got, len(text), got/len(text))
		}
	}
}

// fill repeats a piece up to a size.
func fill(piece string, size int) string { return strings.Repeat(piece, size/len(piece)) }
