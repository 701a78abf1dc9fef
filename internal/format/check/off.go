package check

import (
	"bytes"
	"path"
	"strings"
)

// mostOwn is the largest script that a project's author may have written: a larger library has much that nobody uses.
const mostOwn = 64 << 10

// An offer is a browser feature that no project gets at its address, and the call or element that needs it.
type offer struct{ asks, what string }

// off are the features that the headers of projects switch off, with the lower-case call or element that needs them.
var off = []offer{
	{"getusermedia(", "the camera and the microphone"},
	{"getdisplaymedia(", "the screen"},
	{"geolocation.getcurrentposition(", "the place of the device"},
	{"geolocation.watchposition(", "the place of the device"},
	{"requestmidiaccess(", "MIDI"},
	{"usb.requestdevice(", "USB"},
	{"hid.requestdevice(", "HID"},
	{"serial.requestport(", "serial ports"},
	{"paymentrequest(", "payments"},
}

// asksOff keeps the first place where a file uses such a feature.
func (s *scanner) asksOff(at int) {
	if s.off.line > 0 || len(s.text) > mostOwn && s.kind == script || ofLibrary(s.name) || comment(s.text[:at]) {
		return
	}
	text := bytes.ToLower(s.text[at:min(len(s.text), at+40)])
	for _, o := range off {
		if bytes.HasPrefix(text, []byte(o.asks)) {
			s.off, s.offWhat = s.anywhere(at), o.what+" ("+strings.TrimSuffix(string(s.text[at:at+len(o.asks)]), "(")+")"
		}
	}
}

// ofLibrary reports whether a script is a library, by its name: a project uses few of a library's abilities.
func ofLibrary(name string) bool { return strings.Contains(path.Base(name), ".min.") }

// comment reports whether the line up to here begins like a comment.
func comment(before []byte) bool {
	line := bytes.TrimLeft(before[bytes.LastIndexByte(before, '\n')+1:], " \t")
	return bytes.HasPrefix(line, []byte("//")) || bytes.HasPrefix(line, []byte("*")) || bytes.HasPrefix(line, []byte("/*"))
}

// embeds keeps the first plugin element.
func (s *scanner) embeds(t *tag) {
	if s.off.line == 0 && t.attr("data")+t.attr("src") != "" {
		s.off, s.offWhat = s.anywhere(t.at), "a plugin (<"+t.Data+">)"
	}
}
