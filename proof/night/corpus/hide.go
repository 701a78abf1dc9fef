package corpus

import (
	"bytes"
	"compress/gzip"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
)

// hidden are the methods that keep the texts and fields of a page out of its source.
var hidden = []trick{
	{"unescape", all, false, false, hide(func(_ *scene, page string) string {
		return `document.write(unescape("` + escape(page) + `"))`
	})},
	{"unescape", all, false, false, hide(func(_ *scene, page string) string {
		return `var _0x="` + strings.ReplaceAll(escape(page), "%", "~") + `";document.write(window["unes"+"cape"](_0x.split("~").join("%")))`
	})},
	{"atob", all, false, false, hide(func(_ *scene, page string) string {
		return `document.write(decodeURIComponent(escape(atob("` + encode(page) + `"))))`
	})},
	{"atob-pieces", all, false, false, hide(func(s *scene, page string) string {
		return `var q=` + pieces(encode(page), 40+s.rng.IntN(60)) + `;window["doc"+"ument"]["wri"+"te"](new TextDecoder().decode(Uint8Array.from(window["at"+"ob"](q.join("")),c=>c.charCodeAt(0))))`
	})},
	{"shuffled", all, false, false, hide(shuffled)},
	{"codes", all, false, false, hide(func(s *scene, page string) string {
		by := 1 + s.rng.IntN(40)
		return fmt.Sprintf(`var a=[%s],o=[];for(var i=0;i<a.length;i++)o.push(a[i]-%d);document.write(new TextDecoder().decode(new Uint8Array(o)))`, codes(page, by), by)
	})},
	{"xor", all, false, false, hide(xored)},
	{"aes", all, false, false, hide(sealed)},
	{"gzip", all, false, false, hide(zipped)},
	{"blob", all, false, false, hide(func(_ *scene, page string) string {
		return `location.href=URL.createObjectURL(new Blob([Uint8Array.from(atob("` + encode(page) + `"),function(c){return c.charCodeAt(0)})],{type:"text/html"}))`
	})},
	{"reverse", all, false, false, hide(func(_ *scene, page string) string {
		return `document.write(Array.from(decodeURIComponent(escape(atob("` + encode(reversed(page)) + `")))).reverse().join(""))`
	})},
	{"twice", all, false, false, hide(func(_ *scene, page string) string {
		inner := `document.write(unescape("` + escape(page) + `"))`
		return `eval(atob("` + encode(inner) + `"))`
	})},
	{"packer", all, false, false, hide(packer)},
	{"spaces", all, false, false, spaces},
	{"data-frame", all, false, false, func(s *scene) map[string][]byte {
		return single(`<!doctype html><title>` + s.Title + `</title><body style="margin:0"><iframe style="border:0;width:100vw;height:100vh" src="data:text/html;charset=utf-8;base64,` + encode(s.page()) + `"></iframe>`)
	}},
	{"srcdoc", all, false, false, func(s *scene) map[string][]byte {
		return single(`<!doctype html><body style="margin:0"><iframe style="border:0;width:100vw;height:100vh" srcdoc="` + html.EscapeString(s.page()) + `"></iframe>`)
	}},
	{"foreign-object", noWallet, true, false, func(s *scene) map[string][]byte {
		return single(`<!doctype html><meta charset="utf-8"><title>image</title><svg width="100%" height="900" xmlns="http://www.w3.org/2000/svg"><foreignObject width="100%" height="900">` + s.page() + `</foreignObject></svg>`)
	}},
	{"shadow", noWallet, true, false, hide(func(s *scene, page string) string {
		return `customElements.define("x-` + strings.ToLower(s.letters(4)) + `",class extends HTMLElement{});var e=document.createElement("div");document.body.appendChild(e);e.attachShadow({mode:"closed"}).innerHTML=decodeURIComponent("` + percent(page) + `")`
	})},
	{"fetched", all, false, false, func(s *scene) map[string][]byte {
		files := single(`<!doctype html><meta charset="utf-8"><title>` + s.Title + `</title><div id="app"></div><script>fetch("config.json").then(r=>r.json()).then(j=>{document.open();document.write(decodeURIComponent(j.t));document.close()})</script>`)
		files["config.json"] = []byte(`{"v":3,"t":"` + percent(s.page()) + `"}`)
		return files
	}},
	{"entities", noWallet, true, false, func(s *scene) map[string][]byte {
		s.Brand, s.Head, s.Lead = entities(s.Brand), entities(s.Head), entities(s.Lead)
		for i, f := range s.Fields {
			s.Fields[i].Label, s.Fields[i].Type, s.Fields[i].Name = entities(f.Label), entities(f.Type), s.letters(9)
		}
		return single(s.page())
	}},
	{"noise", noWallet, true, false, noise},
}

// hide returns a function that makes pages of nothing but a script: its result shows the page.
func hide(script func(s *scene, page string) string) func(*scene) map[string][]byte {
	return func(s *scene) map[string][]byte {
		title := pick(s.rng, []string{"", "<title>Loading...</title>", "<title>" + s.Title + "</title>", "<title>&#8203;</title>"})
		return single(`<!DOCTYPE html><html><head><meta charset="utf-8">` + title + `</head><body><script>` + script(s, s.page()) + `</script></body></html>`)
	}
}

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// escape returns the text as the function escape of JavaScript writes it, with every unit escaped.
func escape(text string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < 256 {
			fmt.Fprintf(&out, "%%%02X", unit)
		} else {
			fmt.Fprintf(&out, "%%u%04X", unit)
		}
	}
	return out.String()
}

// percent returns the bytes of the text as a component of an address.
func percent(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		fmt.Fprintf(&out, "%%%02x", b)
	}
	return out.String()
}

// codes returns the bytes of the text as numbers, each one greater by an offset.
func codes(text string, by int) string {
	out := make([]string, len(text))
	for i := range len(text) {
		out[i] = strconv.Itoa(int(text[i]) + by)
	}
	return strings.Join(out, ",")
}

// entities returns the text with each character as a number of HTML.
func entities(text string) string {
	var out strings.Builder
	for _, r := range text {
		fmt.Fprintf(&out, "&#%d;", r)
	}
	return out.String()
}

// split returns the text in parts of a size.
func split(text string, size int) (parts []string) {
	for len(text) > size {
		parts, text = append(parts, text[:size]), text[size:]
	}
	return append(parts, text)
}

// pieces returns the text as an array of strings of JavaScript.
func pieces(text string, size int) string {
	return `["` + strings.Join(split(text, size), `","`) + `"]`
}

// shuffled keeps the pieces of the page in another order, with an array of their places.
func shuffled(s *scene, page string) string {
	parts := split(encode(page), 64)
	order := s.rng.Perm(len(parts))
	mixed := make([]string, len(parts))
	for i, at := range order {
		mixed[i] = parts[at]
	}
	places := make([]string, len(order))
	for i, at := range order {
		places[i] = fmt.Sprintf("0x%x", at)
	}
	return `const _0x4f1a=["` + strings.Join(mixed, `","`) + `"],_0x2b=[` + strings.Join(places, ",") + `],_0x9c=[];_0x2b.forEach((_0x1,_0x0)=>{_0x9c[_0x1]=_0x4f1a[_0x0]});document.write(new TextDecoder().decode(Uint8Array.from(atob(_0x9c.join('')),_0x7=>_0x7.charCodeAt(0))))`
}

func xored(s *scene, page string) string {
	key := s.letters(6)
	out := []byte(page)
	for i := range out {
		out[i] ^= key[i%len(key)]
	}
	return fmt.Sprintf(`var h="%x",k="%s",u=[];for(var i=0;i<h.length;i+=2)u.push(parseInt(h.substr(i,2),16)^k.charCodeAt(i/2%%k.length));document.write(new TextDecoder().decode(new Uint8Array(u)))`, out, key)
}

// sealed encrypts the page; the page has the key.
func sealed(s *scene, page string) string {
	key, nonce := []byte(s.letters(16)), []byte(s.letters(12))
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	text := base64.StdEncoding.EncodeToString(gcm.Seal(nil, nonce, []byte(page), nil)) // #nosec G407 -- the page is public, and must be the same each time
	return fmt.Sprintf(`(async()=>{const e=new TextEncoder,k=await crypto.subtle.importKey("raw",e.encode("%s"),"AES-GCM",!1,["decrypt"]);
const p=await crypto.subtle.decrypt({name:"AES-GCM",iv:e.encode("%s")},k,Uint8Array.from(atob("%s"),c=>c.charCodeAt(0)));document.open();document.write(new TextDecoder().decode(p));document.close()})()`, key, nonce, text)
}

func zipped(_ *scene, page string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(page)) // a bytes.Buffer takes all
	_ = w.Close()
	return `new Response(new Blob([Uint8Array.from(atob("` + base64.StdEncoding.EncodeToString(out.Bytes()) + `"),c=>c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip"))).text().then(t=>{document.open();document.write(t);document.close()})`
}

// packer replaces the words of the script by numbers, as a known packer of scripts does.
func packer(_ *scene, page string) string {
	quoted := strconv.QuoteToASCII(page)
	quoted = strings.NewReplacer("</", `<\/`, `\a`, "", "'", `\x27`).Replace(quoted)
	words, place := []string{}, map[string]string{}
	var out strings.Builder
	isWord := func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
	}
	text := "document.write(" + quoted + ")"
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && isWord(text[j]) {
			j++
		}
		if j == i {
			out.WriteByte(text[i])
			i++
			continue
		}
		word := text[i:j]
		if place[word] == "" {
			place[word] = strconv.FormatInt(int64(len(words)), 36)
			words = append(words, word)
		}
		out.WriteString(place[word])
		i = j
	}
	packed := strings.ReplaceAll(out.String(), `\`, `\\`)
	return fmt.Sprintf(`eval(function(p,a,c,k,e,d){e=function(c){return c.toString(36)};return p.replace(/\w+/g,function(w){return k[parseInt(w,36)]})}('%s',36,%d,'%s'.split('|'),0,{}))`,
		packed, len(words), strings.Join(words, "|"))
}

// spaces keeps the page in characters without width, between the letters of an innocent text.
func spaces(s *scene) map[string][]byte {
	s.Layout = 6
	var out strings.Builder
	for _, b := range []byte(s.page()) {
		for bit := 7; bit >= 0; bit-- {
			out.WriteRune([]rune{'\u200b', '\u200c'}[b>>bit&1])
		}
	}
	return single(`<!doctype html><meta charset="utf-8"><title>Recipes</title><p id="p">Two eggs, a cup of flour` + out.String() + ` and some milk.</p><script>var b=p.textContent.replace(/[^\u200b\u200c]/g,"").match(/.{8}/g).map(function(x){return parseInt(x.replace(/\u200b/g,0).replace(/\u200c/g,1),2)});document.open();document.write(new TextDecoder().decode(new Uint8Array(b)));document.close()</script>`)
}

// noise writes the texts with invisible letters between the visible ones, and makes the fields secret by a script.
func noise(s *scene) map[string][]byte {
	junk := func(text string) string {
		var out strings.Builder
		for _, r := range text {
			out.WriteRune(r)
			switch s.rng.IntN(4) {
			case 0:
				out.WriteString(`<span style="font-size:0">` + s.letters(3) + `</span>`)
			case 1:
				out.WriteString("&shy;")
			}
		}
		return out.String()
	}
	s.Brand, s.Head, s.Lead, s.Form, s.Layout = junk(s.Brand), junk(s.Head), junk(s.Lead), 2, 1+s.rng.IntN(4)
	s.Title = ""
	for i := range s.Fields {
		s.Fields[i].Label, s.Fields[i].Name = junk(s.Fields[i].Label), s.letters(7)
	}
	page := strings.ReplaceAll(s.page(), `type="password"`, `type="text" data-p`)
	return single(page + `<script>document.querySelectorAll("[data-p]").forEach(function(e){e.setAttribute("ty"+"pe",["pass","word"].join(""))})</script>`)
}
