package lure_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"image/png"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"sandlot/internal/format/lure"
	"sandlot/internal/testkit/expect"
)

// kinds has the sign of each page in testdata/lures.
var kinds = map[string]string{
	"login.html": lure.Password, "card.html": lure.Card, "seed.html": lure.Seed, "parcel.html": lure.Card, "tax.html": lure.Sends, "wallet.html": lure.Seed,
}

// hiding are ways to hide a page. The name of each begins with the name of the file.
var hiding = map[string]func(page string) string{
	"index.html: clear": func(p string) string { return p },
	"index.html: atob":  func(p string) string { return script("document.write(atob('" + b64(p) + "'))") },
	"index.html: atob twice": func(p string) string {
		return script("eval(atob('" + b64("document.write(atob('"+b64(p)+"'))") + "'))")
	},
	"index.html: base64 in exchange": func(p string) string { return script("show(['" + exchange(b64(p)) + "'])") },
	"index.html: base64 in pieces":   func(p string) string { return script("document.write(atob(" + pieces(b64(p), "+") + "))") },
	"index.html: unescape":           func(p string) string { return script("document.write(unescape('" + each(p, "%%%02x") + "'))") },
	"index.html: unescape of units":  func(p string) string { return script("document.write(unescape('" + each(p, "%%u%04x") + "'))") },
	"index.html: decodeURIComponent": func(p string) string {
		return script("document.write(decodeURIComponent('" + url.PathEscape(p) + "'))")
	},
	"index.html: escaped twice": func(p string) string {
		return script(`eval(unescape('` + each("document.write('"+each(p, `\x%02x`)+"')", "%%%02x") + `'))`)
	},
	"index.html: hexadecimal escapes": func(p string) string { return script("document.body.innerHTML='" + each(p, `\x%02x`) + "'") },
	"index.html: unicode escapes":     func(p string) string { return script(`document.body.innerHTML="` + each(p, `\u%04x`) + `"`) },
	"index.html: code points":         func(p string) string { return script("document.body.innerHTML=`" + each(p, `\u{%x}`) + "`") },
	"index.html: octal escapes":       func(p string) string { return script("document.body.innerHTML='" + each(p, `\%03o`) + "'") },
	"index.html: character codes":     func(p string) string { return script("document.write(String.fromCharCode(" + each(p, "%d,") + "10))") },
	"index.html: codes applied": func(p string) string {
		return script("document.write(String.fromCharCode.apply(null,[" + each(p, "%d,") + "10]))")
	},
	"index.html: codes spread": func(p string) string {
		return script("document.write(String.fromCharCode(...[" + each(p, "0x%x,") + "10]))")
	},
	"index.html: codes mapped": func(p string) string {
		return script("show([" + each(p, "%d,") + "10].map(c=>String.fromCharCode(c)).join(''))")
	},
	"index.html: bytes": func(p string) string {
		return script("show(new TextDecoder().decode(new Uint8Array([" + each(p, "%d,") + "10])))")
	},
	"index.html: digits":            func(p string) string { return script("show(undo('" + hex.EncodeToString([]byte(p)) + "'))") },
	"index.html: frame of base64":   func(p string) string { return `<iframe src="data:text/html;base64,` + b64(p) + `"></iframe>` },
	"index.html: frame of percents": func(p string) string { return `<iframe src="data:text/html,` + url.PathEscape(p) + `"></iframe>` },
	"index.html: frame within":      func(p string) string { return `<iframe srcdoc="` + html.EscapeString(p) + `"></iframe>` },
	"index.html: leads to data": func(p string) string {
		return `<meta http-equiv="refresh" content="0; url=data:text/html;base64,` + b64(p) + `">`
	},
	"index.html: script as data": func(p string) string {
		return `<script src="data:text/javascript;base64,` + b64("document.write("+strconv.Quote(p)+")") + `"></script>`
	},
	"index.html: address of a script": func(p string) string { return `<a href="javascript:document.write(atob('` + b64(p) + `'))">Play</a>` },
	"index.html: at a press": func(p string) string {
		return `<button onclick="document.write(` + html.EscapeString(strconv.Quote(p)) + `)">Play</button>`
	},
	"index.html: entities": func(p string) string {
		return script("e.innerHTML='" + each(p, "&#%d;") + "';document.write(e.textContent)")
	},
	"index.html: pieces":               func(p string) string { return script("document.write(" + pieces(p, " + ") + ")") },
	"index.html: pieces around values": func(p string) string { return script("document.write(" + pieces(p, " + x(1)[y].z + ") + ")") },
	"index.html: base64 in a list": func(p string) string {
		return script("var q=[" + pieces(b64(p), ",") + "];document.write(atob(q.join('')))")
	},
	"index.html: base64 backwards": func(p string) string {
		return script("document.write(atob('" + b64(reverse(p)) + "').split('').reverse().join(''))")
	},
	"index.html: digits with a sign": func(p string) string {
		return script("var x='" + each(p, "~%02X") + "';document.write(unescape(x.replace(/~/g,'%')))")
	},
	"index.html: codes moved": func(p string) string {
		return script("var a=[" + codes(p, func(c int) int { return c + 14 }) + "];for(i of a)o.push(i-14);document.write(new TextDecoder().decode(o))")
	},
	"index.html: codes mixed": func(p string) string {
		return script("var a=[" + codes(p, func(c int) int { return c ^ 0x5a }) + "];document.write(String.fromCharCode(...a.map(c=>c^90)))")
	},
	"index.html: packed":             func(p string) string { return script(packed("document.write(" + strconv.Quote(p) + ")")) },
	"index.html: list":               func(p string) string { return script("document.write([" + pieces(p, ",") + "].join(''))") },
	"index.html: list of a variable": func(p string) string { return script("var a=[" + pieces(p, ",") + "];document.write(a.join(''))") },
	"index.html: sum":                func(p string) string { return script("var s='';s+=" + pieces(p, ";s+=") + ";document.write(s)") },
	"index.html: many writes":        func(p string) string { return script("document.write(" + pieces(p, ");document.write(") + ")") },
	"index.html: concat":             func(p string) string { return script("document.write(''.concat(" + pieces(p, ",") + "))") },
	"index.html: template": func(p string) string {
		return script("document.write(`" + strings.ReplaceAll(p, "in", "${`i`}${'n'}") + "`)")
	},
	"index.html: reversed": func(p string) string {
		return script("document.write(" + strconv.Quote(reverse(p)) + ".split('').reverse().join(''))")
	},
	"index.html: spread and reversed": func(p string) string {
		return script("document.write([..." + strconv.Quote(reverse(p)) + "].reverse().join(''))")
	},
	"index.html: with junk": func(p string) string {
		return script("document.write(" + strconv.Quote(each(p, "%c~")) + ".split('~').join(''))")
	},
	"index.html: with junk for pattern": func(p string) string {
		return script("document.write(" + strconv.Quote(each(p, "%cqq")) + ".replace(/qq/g,''))")
	},
	"index.html: variables":        func(p string) string { return script("var a='pass',b='word';document.write(" + strconv.Quote(p) + ")") },
	"index.html: in UTF-16":        utf16Text,
	"index.html: noscript":         func(p string) string { return "<noscript>" + p + "</noscript>" },
	"index.html: template element": func(p string) string { return "<template>" + p + "</template>" },
	"index.html: script of text":   func(p string) string { return `<script type="text/template">` + p + "</script>" },
	"index.html: attribute":        func(p string) string { return `<div data-page="` + b64(p) + `"></div>` },
	"data.json: percents":          func(p string) string { return `{"v":3,"t":"` + each(p, "%%%02x") + `"}` },
	"data.bin: backwards":          reverse,
	"data.txt: base64":             b64,
	"index.html: Latin-1 digits":   func(p string) string { return script("show(undo('" + each(p+"\xb7", "%02x") + "'))") },
	"main.js: markup":              func(p string) string { return "document.body.innerHTML = " + strconv.Quote(p) },
	"main.js: module":              func(p string) string { return "export default html`" + p + "`" },
	"art.svg: foreign object": func(p string) string {
		return `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject>` + p + `</foreignObject></svg>`
	},
	"art.svg: in a title": func(p string) string { return `<svg xmlns="http://www.w3.org/2000/svg"><title>` + p + `</title></svg>` },
	"art.svg: script": func(p string) string {
		return `<svg><script><![CDATA[document.write(atob("` + b64(p) + `"))]]></script></svg>`
	},
}

func TestEveryLureIsFoundHoweverItIsHidden(t *testing.T) {
	for page, kind := range kinds {
		text := read(t, filepath.Join("lures", page))
		for _, name := range slices.Sorted(maps.Keys(hiding)) {
			file, _, _ := strings.Cut(name, ":")
			if got := look(file, hiding[name](text)); !slices.Contains(got, kind) {
				t.Errorf("%s, %s: the signs are %q, want %s", page, name, got, kind)
			}
		}
	}
}

func TestEveryFieldThatAScriptBuildsIsFound(t *testing.T) {
	for _, line := range lines(t, "built.txt") {
		kind, code, _ := strings.Cut(line, " ")
		for file, text := range map[string]string{"main.js": code, "index.html": "<canvas></canvas>" + script(code)} {
			if got := look(file, text); !slices.Contains(got, kind) {
				t.Errorf("%s with %s: the signs are %q, want %s", file, code, got, kind)
			}
		}
	}
}

// TestAPageThatHasNothingButAWayElsewhereIsFound also has the pages beside such a page that are honest.
func TestAPageThatHasNothingButAWayElsewhereIsFound(t *testing.T) {
	for page, leads := range map[string]bool{
		`<meta http-equiv="refresh" content="2; url=https://evil.example/a"><p>Please wait`:                                   true,
		`<p>Please wait<script>var u=atob("aHR0cHM6Ly9ldmlsLmV4YW1wbGUv");setTimeout(()=>location.replace(u),9)</script>`:     true,
		`<script>top.location="ht"+"tps://"+["evil","example"].join(".")</script>`:                                            true,
		`<script>window.location.href="//evil.example"</script>`:                                                              true,
		`<a href="https://evil.example/"><img src="login.png"></a>`:                                                           true,
		`<title>Sign in</title><img src="login.png" usemap="#m"><map><area href="https://evil.example/"></map>`:               true,
		`<img src="login.png" onclick="open(atob('aHR0cHM6Ly9ldmlsLmV4YW1wbGUv'))">`:                                          true,
		`<iframe src="https://evil.example/">`:                                                                                true,
		`<script>i=document.createElement("iframe");i.src="//"+["evil","example"].join(".");document.body.append(i)</script>`: true,
		`<p>See my film: <iframe src="https://film.example/7"></iframe>`:                                                      false,
		`<h1>PayPal</h1><p>Your account is limited.<a href="https://evil.example/">Continue</a>`:                              true,
		`<h1>Netflix support</h1><p>Call us.<a href="tel:+15550100">+1 555 0100</a>`:                                          true,
		`<h1>Paypal</h1><button onclick="top.location='https://evil.example/'">Continue</button>`:                             true,

		`<title>PayPal account</title><img src="code.png">`:            true,
		`<title>Hermes - Ihr Paket wartet</title><img src="code.png">`: true,

		`<meta http-equiv="refresh" content="2; url=game.html"><p>Please wait`:                 false,
		`<meta http-equiv="refresh" content="2; url=https://game.example/game.html">`:          false,
		`<script>location.replace("game.html")</script><a href="https://kim.example/">Kim</a>`: false,
		`<p>Hello world, this is my first page. <a href="https://kim.example/">Kim</a>`:        false,
		`<a href="https://kim.example/"><img src="me.png"></a><p>I am Kim and draw cats.`:      false,
		`<img src="cat.png">`:                                                                                                   false,
		`<title>Steam train</title><img src="train.png">`:                                                                       false,
		`<title>PayPal: the story</title><img src="a.png"><p>It began`:                                                          false,
		`<canvas></canvas><h1>PayPal Tycoon</h1><a href="https://kim.example/">Kim</a>`:                                         false,
		`<h1>Orange</h1><a href="https://kim.example/">Kim</a>`:                                                                 false,
		`<h1>PayPal</h1><p>` + strings.Repeat("It was founded long ago. ", 40) + `<a href="https://kim.example/">Kim</a>`:       false,
		`<a href="https://kim.example/"><img src="me.png"></a><script>` + strings.Repeat("move(cat, 1, 2);", 300) + `</script>`: false,
		`<img src="me.png"><script>caches.open("v1").then(c=>c.add("https://kim.example/a.js"))</script>`:                       false,
		`<p>Play!<script>const home="https://kim.example/";if(location.hash=="#x")start()</script>`:                             false,
	} {
		if got := look("index.html", page); slices.Contains(got, lure.Leads) != leads {
			t.Errorf("%s: the signs are %q, leads is %t", page, got, !leads)
		}
	}
}

// TestAPageThatHidesItsTextIsFound also has pages that are honest.
func TestAPageThatHidesItsTextIsFound(t *testing.T) {
	sealed := strings.Repeat("q8Zt0pXx", 200)
	spaces := strings.Repeat("\u200b\u200c\u200c", 600)
	for page, hides := range map[string]bool{
		script(`var k="` + sealed + `";open(k).then(t=>{document.open();document.write(new TextDecoder().decode(t))})`):                        true,
		script(`var k=[` + pieces(sealed, ",") + `],s=[` + strings.Repeat("7,3,", 200) + `1],t="";for(i of s)t+=k[i];document.write(atob(t))`): true,
		script(`var k=[` + pieces(sealed[:1200], ",") + `],s=[7,3,5],t="";for(i of s)t+=k[i];document.write(atob(t))`):                         true,
		`<p id=p>Two eggs` + spaces + `</p>` + script(`document.write(read(p.textContent))`):                                                   true,

		script(`for(i=1;i<11;i++)document.write(i*7)`):                                      false,
		script(`document.write("<img src='data:image/png;base64,` + sealed + `'>")`):        false,
		script(`var level="` + sealed + `";document.write("<h1>Level "+n+"</h1>")`):         false,
		`<canvas></canvas>` + script(`var level="`+sealed+`";document.write(level.length)`): false,
		script(`eval(unpack("` + sealed + `"))`):                                            false,
		script(`wasm("` + sealed + `").then(start)`):                                        false,
	} {
		if got := look("index.html", page); slices.Contains(got, lure.Hides) != hides {
			t.Errorf("%.200s: the signs are %q, hides is %t", page, got, !hides)
		}
	}
}

func TestHonestPagesHaveNoSign(t *testing.T) {
	for _, code := range lines(t, "honest.txt") {
		for file, text := range map[string]string{"main.js": code, "index.html": "<input name=player>" + script(code)} {
			if got := look(file, text); got != nil {
				t.Errorf("%s: the signs are %q, want none", file+" with "+code, got)
			}
		}
	}
	for _, folder := range []string{"testdata/honest", "../../../examples", "../check/testdata"} {
		n := 0
		walk(t, folder, func(name string, text []byte) {
			n++
			if got := look(name, string(text)); got != nil {
				t.Errorf("%s: the signs are %q, want none", name, got)
			}
		})
		if n == 0 {
			t.Errorf("%s has no file", folder)
		}
	}
}

func walk(t *testing.T, folder string, do func(name string, text []byte)) {
	t.Helper()
	expect.OK(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && lure.Reads(path) {
			text, err := os.ReadFile(path)
			expect.OK(t, err)
			do(path, text)
		}
		return err
	}))
}

// look returns the kinds of the signs in a file of a project at game.example.
func look(name, text string) (found []string) {
	l := lure.Look{Own: "game.example", Brands: lure.BuiltIn()}
	l.Read(name, []byte(text))
	for _, s := range l.Signs() {
		found = append(found, s.Kind)
	}
	return found
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	expect.OK(t, err)
	return string(text)
}

func lines(t *testing.T, name string) (list []string) {
	t.Helper()
	for line := range strings.Lines(read(t, name)) {
		if !strings.HasPrefix(line, "#") {
			list = append(list, strings.TrimSuffix(line, "\n"))
		}
	}
	return list
}

func script(code string) string { return "<!doctype html><body><script>" + code + "</script>" }
func b64(s string) string       { return base64.StdEncoding.EncodeToString([]byte(s)) }

// each prints each byte of s.
func each(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// pieces returns s as strings of three bytes.
func pieces(s, between string) string {
	var list []string
	for part := range slices.Chunk([]rune(s), 3) {
		list = append(list, strconv.Quote(string(part)))
	}
	return strings.Join(list, between)
}

// codes returns the codes of the bytes of s, each changed.
func codes(s string, change func(int) int) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%d,", change(int(c)))
	}
	return strings.TrimSuffix(b.String(), ",")
}

// packed returns code as packers write it: its words stand in a list, and numbers in their places.
func packed(code string) string {
	var words []string
	text := regexp.MustCompile(`\w+`).ReplaceAllStringFunc(code, func(w string) string {
		if i := slices.Index(words, w); i >= 0 {
			return strconv.FormatInt(int64(i), 36)
		}
		words = append(words, w)
		return strconv.FormatInt(int64(len(words)-1), 36)
	})
	return fmt.Sprintf("eval(function(p,a,c,k,e,d){while(c--)if(k[c])p=p.replace(new RegExp('\\\\b'+c.toString(a)+'\\\\b','g'),k[c]);return p}(%s,36,%d,'%s'.split('|'),0,{}))",
		strconv.Quote(text), len(words), strings.Join(words, "|"))
}

func reverse(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

func exchange(s string) string {
	return strings.Map(func(r rune) rune {
		if up := strings.ToUpper(string(r)); up != string(r) {
			return rune(up[0])
		}
		return rune(strings.ToLower(string(r))[0])
	}, s)
}

func utf16Text(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func FuzzLook(f *testing.F) {
	for page := range kinds {
		text, err := os.ReadFile(filepath.Join("testdata/lures", page))
		if err != nil {
			f.Fatal(err)
		}
		for name, hide := range hiding {
			file, _, _ := strings.Cut(name, ":")
			f.Add(file, hide(string(text)))
		}
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		l := lure.Look{Own: "game.example"}
		l.Read(name, []byte(text))
		for _, s := range l.Signs() {
			if s.File != name {
				t.Errorf("%q is in %q, not in %q", s.Kind, s.File, name)
			}
		}
	})
}

// TestACodeInAPictureThatLeadsElsewhereIsFound: in a page that is one picture, not beside words, and not with an address at home.
func TestACodeInAPictureThatLeadsElsewhereIsFound(t *testing.T) {
	draw := func(text string) []byte {
		code, err := qrcode.NewQRCodeWriter().Encode(text, gozxing.BarcodeFormat_QR_CODE, 200, 200, nil)
		expect.OK(t, err)
		var b bytes.Buffer
		expect.OK(t, png.Encode(&b, code))
		return b.Bytes()
	}
	for text, leads := range map[string]bool{"https://evil.example/a": true, "https://game.example/play": false, "two words": false} {
		for page, alone := range map[string]bool{`<img src="a.png">`: true, `<img src="a.png"><p>Scan this`: false} {
			l := lure.Look{Own: "game.example"}
			l.Read("index.html", []byte(page))
			expect.Equal(t, "scans", l.Scans("a.png", 1000), alone)
			if alone {
				l.Scan("a.png", draw(text))
			}
			if got := len(l.Signs()) > 0; got != (alone && leads) {
				t.Errorf("%s with a code of %s: %q", page, text, l.Signs())
			}
		}
	}
}
