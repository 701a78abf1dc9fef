package check_test

import (
	"strings"
	"testing"

	"sandlot/internal/format/check"
)

// with is the version of one page with a script, and other files.
func with(script string, files map[string]string) check.Version {
	v := one(head + "<script>onclick = 1;\n" + script + "\n</script>")
	for name, text := range files {
		add(&v, name, []byte(text))
	}
	return v
}

// pictures are files of these names.
func pictures(list ...string) map[string]string {
	files := map[string]string{}
	for _, name := range list {
		files[name] = "x"
	}
	return files
}

func TestRegressionM53FoldersThatLoadersAreGivenCount(t *testing.T) {
	there := pictures("img/a.png", "img/b.png", "snd/a.ogg", "sprites/c.png")
	for _, script := range []string{
		`this.load.setPath("img"); this.load.image("a", "a.png")`, `this.load.setPath('img/'); this.load.atlas('a', 'a.png', 'b.png'); this.load.setPath('snd'); this.load.audio('a', ['a.ogg', 'a.mp3'])`,
		`this.load.setBaseURL("./"); this.load.setPath("img"); this.load.image("a", "a.png")`, `game.load.path = "img/"; game.load.image("a", "a.png")`, `loadRoot("sprites/"); loadSprite("c", "c.png")`,
		`new Phaser.Game({loader: {baseURL: "img"}}); this.load.image("a", "a.png")`, `this.load.setPath(where); this.load.image("z", "z.png")`, `loader.setPath("img/").load("a.png")`,
	} {
		says(t, with(script, there))
	}
	says(t, with(`this.load.setPath("img"); this.load.image("z", "z.png")`, there), `missing_file asks for "z.png" (that is img/z.png)`)
	says(t, with(`this.load.audio("z", ["z.ogg", "z.mp3"])`, there), `missing_file asks for "z.ogg"`)
	says(t, with(`this.load.atlas("c", "sprites/c.png", "sprites/c.json")`, there), `missing_file asks for "sprites/c.json"`)
	says(t, with(`loadSound("z", "snd/z.ogg")`, there), `missing_file asks for "snd/z.ogg"`)
	says(t, with(`const i = new Image(); i.src = "a.png"; loader.setPath("img/")`, there), `missing_file asks for "a.png"`)
	v := with("", map[string]string{"boot.js": `loadRoot("sprites/")`, "game.js": `loadSprite("c", "c.png"); loadSprite("d", "d.png")`, "sprites/c.png": "x"})
	v.Looks[0] = check.At("index.html", []byte(head+`<script src=boot.js></script><script src=game.js></script>`), true)
	says(t, v, `missing_file game.js:1:43 asks for "d.png" (that is sprites/d.png)`)
	v.All = false // an update of some of the files: who sets the folder may be among the others
	v.Names = append(v.Names, "sprites/d.png")
	v.Looks = v.Looks[:1]
	v.Looks = append(v.Looks, check.At("game.js", []byte(`loadSprite("d", "d.png")`), true))
	says(t, v)
}

func TestRegressionM53ListsOfNamesAreJudged(t *testing.T) {
	there := pictures("img/a.png", "img/b.png", "img/C.png")
	for script, told := range map[string]string{
		`for (const n of ["a.png", "b.png", "z.png"]) draw("img/" + n)`:                           `missing_file lists "z.png" (that is img/z.png)`,
		`const all = {a: "img/a.png", /* it's b */ b: "img/b.png", z: "img/z.png"};`:              `missing_file lists "img/z.png"`,
		`const all = [{name: "a", src: "./img/a.png"}, {name: "z", w: 3, src: "./img/z.png"}];`:   `missing_file lists "./img/z.png"`,
		`const all = ["img/y.png", "img/z.png"]; for (const n of all) (new Image()).src = n`:      `missing_file lists "img/y.png"`,
		`const all = ["a.png", "b.png", "c.png"];`:                                                `wrong_case the file is called img/C.png`,
		`const all = ["y.png", "z.png"];`:                                                         ``,
		`const all = ["img/y.png", "img/z.png"]; get("https://cdn.example/" + all[0])`:            `other_hosts`,
		`const all = ["x/y.png", "x/z.png"]; for (const n of all) (new Image()).src = "img/" + n`: ``,
		`f("a.png", "z.png"); g(["a.png" + v, "z.png"]); const o = {"a.png": 1, "z.png": 2};`:     ``,
		`const all = ["report.txt", "z.html", "a.js"];`:                                           ``,
		`const all = {a: ["img/a.png", "img/a.webp"], b: "img/b.png"};`:                           ``,
		"const all = [\"a.png\", `z${n}.png`, \"b.png\"];":                                        ``,
		`const all = ["a.png", "x.png", "y.png", "z.png"];`:                                       ``,
		`const css = ["a.png", "b.png"].map(n => n), z = {download: save("z.png")};`:              ``,
	} {
		if told == "other_hosts" {
			told = ""
		}
		v := with(script, there)
		got := ""
		for _, f := range v.Findings() {
			got = string(f.Code) + " " + f.Message
			break
		}
		code, text, _ := strings.Cut(told, " ")
		if told == "" && got != "" || !strings.HasPrefix(got, code) || !strings.Contains(got, text) {
			t.Errorf("%s: %q", script, got)
		}
	}
}

func TestRegressionM53WhatAWorkerCachesIsJudged(t *testing.T) {
	for _, worker := range []string{
		`self.oninstall = e => e.waitUntil(caches.open("v1").then(c => c.addAll(["./", "a.png", "z.css"])))`,
		"const FILES = [\n  './', // the page's own\n  'a.png',\n  'z.css'\n];\ncaches.open('v1').then(c => c.addAll(FILES));",
	} {
		v := with(`navigator.serviceWorker.register("sw.js")`, map[string]string{"sw.js": worker, "a.png": "x"})
		says(t, v, `missing_file adds to its cache "z.css"`)
	}
}

func TestRegressionM53AModuleThatIsLoadedAsAScriptIsTold(t *testing.T) {
	files := map[string]string{"game.js": "// a game\nimport { x } from './lib.js';\nx();", "lib.js": "export const x = () => 1", "plain.js": "import('./lib.js')"}
	page := func(tags string) check.Version {
		v := with("", files)
		v.Looks[0] = check.At("index.html", []byte(head+tags), true)
		return v
	}
	says(t, page(`<script src=game.js></script>`), "does_not_parse game.js:2:1 imports or exports, which only modules do, and index.html:1:")
	says(t, page(`<script>import { x } from './lib.js'</script>`), `does_not_parse "import or export without type=\"module\""`)
	says(t, page(`<script>new Worker("game.js")</script>`), "does_not_parse game.js:2:1")
	for _, tags := range []string{
		`<script type=module src=game.js></script>`, `<script nomodule src=game.js></script><script type=module src=game.js></script>`, `<script src=plain.js></script>`,
		`<script>new Worker("game.js", {type: "module"})</script>`, `<script type=module>import { x } from './lib.js'</script>`,
	} {
		says(t, page(tags))
	}
}

func TestRegressionM53WhatModelsAndMapsNameIsTold(t *testing.T) {
	const model = `{"asset": {"version": "2.0"}, "buffers": [{"uri": "scene.bin", "byteLength": 4}, {"uri": "data:application/octet-stream;base64,AAAA"}], "images": [{"uri": "textures/a%20b.png"}, {"bufferView": 1}]}`
	models := map[string]string{"m/scene.gltf": model, "m/textures/a b.png": "x"}
	says(t, with("", models)) // which may be left from elsewhere
	says(t, with(`loader.load("m/scene.gltf")`, models), `missing_file m/scene.gltf:1:51 loads "scene.bin" (that is m/scene.bin)`)
	const reads, world = `fetch("map.json"); for (const t of map.tilesets) load(t.image)`, `{"tilewidth": 16, "tilesets": [{"image": "img\/tiles.png"}], "layers": [{"image": "sky.png"}]}`
	says(t, with(reads, map[string]string{"map.json": world, "sky.png": "x"}), `missing_file map.json:1:42 loads "img/tiles.png"`)
	says(t, with(`fetch("map.tmx"); map.tilesets[0].image`, map[string]string{"map.tmx": `<map tilewidth="16"><tileset firstgid="1"><image source="tiles.png" width="2"/></tileset></map>`}), `missing_file map.tmx`)
	says(t, with(reads, map[string]string{"map.json": world, "sky.png": "x", "art/tiles.png": "x"}))           // which the game may load by itself
	says(t, with(`fetch("map.json")`, map[string]string{"map.json": world, "a.tsx": "export const a = <b/>"})) // as Phaser and most games do
	says(t, with(`for (const t of map.tilesets) load(t.image)`, map[string]string{"map.json": world}))         // left from the drawing
}

func TestRegressionM53ALinkWithoutTheEndOfAPagesNameIsTold(t *testing.T) {
	v := one(head + `<a href="/about">1</a> <a href="help/">2</a> <a href="other">3</a> <a href="docs">4</a>`)
	for _, name := range []string{"about.html", "help.html", "docs/index.html", "docs.html"} {
		add(&v, name, []byte(head))
	}
	says(t, v, `missing_file links to "/about", and the project has that as about.html`, `missing_file links to "help/", and the project has that as help.html`)
}

func TestRegressionM53FluttersPageNeedsNoViewport(t *testing.T) {
	const page = `<!DOCTYPE html><html><head><base href="./"><title>T</title></head><body><script src="flutter_bootstrap.js" async></script></body></html>`
	v := one(page)
	add(&v, "flutter_bootstrap.js", []byte("f()"))
	says(t, v)
	says(t, one(strings.Replace(page, "flutter_bootstrap.js", "//x.example/a.js", 1)), "other_hosts ", "no_viewport ")
}

func TestRegressionM53WhatForeignProjectsShowed(t *testing.T) {
	there := pictures("Fire.wav", "img/a.png", "snd/a.mp3")
	for script, told := range map[string]string{
		`new BABYLON.Sound("Music", "fire.wav", scene)`:                                           "wrong_case fire.wav",
		`BABYLON.MeshBuilder.CreateGroundFromHeightMap("g", "img/z.png")`:                         `missing_file "img/z.png"`,
		`new BABYLON.Texture("img/z.png", scene)`:                                                 `missing_file "img/z.png"`,
		"PIXI.loader\n  .add('img/z.png')":                                                        `missing_file "img/z.png"`,
		`PIXI.loader.add("z", "img/z.png"); set.add("y.png")`:                                     `missing_file "img/z.png"`,
		`PIXI.Sprite.from("img/z.png"); Array.from("y.png"); PIXI.Texture.fromImage("frame.png")`: `missing_file "img/z.png"`,
		`this.load.image("z", "img/z.png ")`:                                                      `missing_file "img/z.png"`,
		`new Howl({src: "snd/z.mp3"})`:                                                            `missing_file "snd/z.mp3"`,
		`new Howl({src: ["snd/a.mp3", "snd/a.ogg"]})`:                                             "",
		`const c = {"fileSizes":{"a.pck":1},"serviceWorker":"sw.js"}`:                             `missing_file "sw.js"`,
	} {
		v := with(script, there)
		v.Names = append([]string{"Fire.wav", "a.pck"}, v.Names[1:]...)
		if told == "" {
			says(t, v)
			continue
		}
		says(t, v, told)
	}
	v := with("", map[string]string{"lib.min.js": `navigator.mediaDevices.getUserMedia(c); i.src = "//social.example/sdk.js"`})
	v.Looks[0] = check.At("index.html", []byte(head+`<script src=lib.min.js></script>`), true)
	says(t, v)                                                                                                           // abilities of a library that the project does not use
	says(t, one(head+`<script src=elm.js></script><script>new Audio("x" + n).play()</script>`), `missing_file "elm.js"`) // which may wait for a key
	v = one(head + `<link rel=stylesheet href=bootstrap.min.css><link rel=stylesheet href=own.css>`)
	add(&v, "bootstrap.min.css", []byte(`@font-face { src: url(../fonts/glyphicons-halflings-regular.woff2) }`))
	add(&v, "own.css", nil) // for later
	v.Empty = []string{"own.css"}
	says(t, v)
	says(t, one(`<!doctype html><html><head><title>T</title></head><body><script>const m = document.createElement("meta"); m.name = "viewport"; m.content = "width=device-width"</script>`))
	says(t, one(`<!doctype html><html><head><link rel=canonical href=//x.example><script>window.location.href = "/public"</script></head></html>`)) // which nobody sees
	v = one(head + `<style>@font-face { src: url(a.woff2), url(a.woff), url("a.svg#a") } @font-face { src: url(b.woff2), url(b.ttf) }</style>`)
	add(&v, "a.svg", nil)
	add(&v, "a.woff", []byte("x"))
	v.Empty = []string{"a.svg"}
	says(t, v, "missing_file b.woff2", "missing_file b.ttf")
	says(t, one(head+`<script>for (const n of ["click", "focusin", "keydown"]) addEventListener(n, e => e.key == "ArrowUp")</script>`))
	says(t, one(strings.Replace(head, "<title>T</title>", "", 1)+`<script>document.title = name</script>`))
	const maps = head + `<script type=importmap>{"imports": {"three": "./lib/three.js", "jsm/": "./lib/jsm/", "react": "https://cdn.example/react", "/m": "./none"}}</script>`
	says(t, one(maps+`<script>f()</script>`)) // a bundler took them in
	says(t, one(maps+`<script type=module>import "three"; import "jsm/a.js"; import "react"</script>`), `missing_file "./lib/three.js"`, `missing_file "./lib/jsm/a.js"`, "other_hosts cdn.example")
	v = one(head + "<img src=images/b/1.png>")
	v.Primary = "index.html"
	add(&v, "posts/index.html", []byte(head+"<img src=images/b/1.png>"))
	add(&v, "images/a/1.png", nil)
	add(&v, "images/b/1.png", nil)
	says(t, v, "missing_file The nearest that is there is images/b/1.png")
}
