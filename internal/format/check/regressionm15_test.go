package check_test

import (
	"strings"
	"testing"
)

func TestRegressionM15JSONThatDoesNotParseIsTold(t *testing.T) {
	v := one(head + "<p>Hi</p></body>")
	add(&v, "levels/1.json", []byte("{\n  \"a\": 1,\n}"))
	add(&v, "levels/2.json", []byte(`{"a": [1, 2`))
	for name, text := range map[string]string{"tsconfig.json": "{ // for tsc\n}", "a.json": "\ufeff{}", "b.json": "{}\n{}\n", "c.json": "packed", "d.json": "", ".vscode/x.json": "{,}"} {
		add(&v, name, []byte(text))
	}
	says(t, v, "cut_off levels/2.json:1:12 ends in the middle of its JSON", "does_not_parse levels/1.json:3:1 does not parse")
}

func TestRegressionM52WhatIsOffIsTold(t *testing.T) {
	for ask, what := range map[string]string{
		"navigator.mediaDevices.getUserMedia({video: true})": "the camera and the microphone (getUserMedia)", "navigator.geolocation.getCurrentPosition(f)": "the place of the device (geolocation.getCurrentPosition)",
		"navigator.requestMIDIAccess()": "MIDI", "navigator.usb.requestDevice({})": "USB", "navigator.hid.requestDevice({})": "HID", "navigator.serial.requestPort()": "serial ports",
	} {
		says(t, one(head+"<script>\nlet a = 1;\n"+ask+"\n</script>"), "feature_off index.html:3:"+"")
		says(t, one(head+"<script>\nlet a = 1;\n"+ask+"\n</script>"), "feature_off "+what)
		says(t, one(head+"<script>\n// "+ask+"\n</script>"))
	}
	v := one(head + "<object data=a.svg></object><embed src=a.svg><script src=lib.js></script>")
	add(&v, "a.svg", []byte("<svg/>"))
	add(&v, "lib.js", []byte("f(navigator.usb.requestDevice({}));"+strings.Repeat("f(1);", 20_000)))
	says(t, v, "feature_off a plugin (<object>)")
	says(t, one(head+"<script>navigator.getGamepads(); document.body.requestFullscreen()</script>"))
}

func TestRegressionM53WhatLibrariesAskForIsTold(t *testing.T) {
	for script, says := range map[string]string{
		`loadSprite("bean", "bean.png")`: "missing_file", `k.loadSprite("bean", "bean.png", {sliceX: 2})`: "missing_file", `new Howl({src: ["boom.ogg", "boom.mp3"]})`: "missing_file",
		`r.open("GET", "level.json")`: "missing_file", `c.audioWorklet.addModule("w.js")`: "missing_file", `new WebSocket("ws://localhost:3000")`: "local_address", `new EventSource("http://127.0.0.1:3000/e")`: "local_address",
		`loadSprite("bean", url)`: "", `r.open("POST", "save.json")`: "", `loadSprite("bean", "data:image/png;base64,AA")`: "", `new WebSocket("ws" + x)`: "", `db.open("GET", v)`: "", `({src: ["a.png", base + "b.png"]})`: "",
	} {
		v := one(head + "<script>onclick = 1; " + script + "</script>")
		got := ""
		for _, f := range v.Findings() {
			got = string(f.Code)
		}
		if got != says {
			t.Errorf("%s: %q", script, got)
		}
	}
	v := one(head + `<img src=a.png><img src=b.png>`)
	v.Empty = []string{"a.png"}
	add(&v, "a.png", nil)
	add(&v, "b.png", []byte("x"))
	says(t, v, "missing_file which is there and has no bytes of its own")
}

func TestRegressionM15ACommentInThePlaceOfCodeIsTold(t *testing.T) {
	for _, comment := range []string{
		"// ... existing code ...", "/* ... rest of the styles ... */", "// … rest of code", "// rest of the code remains the same", "// (existing functions unchanged)",
	} {
		says(t, one(head+"<script>\nlet a = 1;\n  "+comment+"\nlet b = 2;\n</script>"), "elided index.html:3:1")
	}
	says(t, one(head+"<main>\n<!-- rest unchanged -->\n</main>"), "elided index.html:2:1")
	for _, comment := range []string{
		"// remove existing listeners", "// the rest of the row", "// leave existing entries unchanged", "// ...and so on", "let rest = 'unchanged'; // the same as before", "// ...rest", "// remaining code points", "/* existing content */",
	} {
		says(t, one(head+"<script>\n"+comment+"\nlet b = 2;\n</script>"))
	}
}
