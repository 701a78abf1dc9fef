package check

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// phoneMost is the size that a phone loads without complaint: sixteen seconds at ten megabits a second.
const phoneMost = 20_000_000

// whole judges properties of all files together.
func (f *finder) whole() {
	if f.Size > phoneMost {
		f.add(SlowOnPhones,
			"Smaller pictures (WebP), sounds (Ogg or MP3 instead of WAV) and models help most; load what comes later when it is needed.",
			"The project has %d MB in %d files. If a page loads all of it, a phone with ten megabits a second takes %d s.",
			f.Size/1_000_000, f.Count, f.Size*8/10_000_000)
	}
	p := f.primary()
	if p == nil {
		return
	}
	if p.document && p.active && p.whole && p.cut == "" {
		f.head(p)
	}
	if !f.All {
		return
	}
	f.sound(p)
	if f.any(keys) && !f.any(touches) && (f.any(moves) || !f.any(clicks)) && !f.lent() {
		f.add(NoTouch, "Add buttons for fingers, or pointerdown and pointermove, that do what the keys do.",
			"%s listens to keys, and nothing in the project to fingers: on a phone it cannot be used.", shown(p.name))
	}
}

// primary returns the Look of the primary file, if it is a page.
func (f *finder) primary() *Look {
	for _, l := range f.Looks {
		if l.name == f.Primary && l.kind == page {
			return l
		}
	}
	return nil
}

// head judges the head of the primary file.
func (f *finder) head(p *Look) {
	if !p.viewport && !p.flutter() {
		f.add(NoViewport, `Put <meta name="viewport" content="width=device-width, initial-scale=1"> into its head.`,
			"%s has no viewport: phones show it as on a desk, and small.", shown(p.name))
	}
	if !p.title && !f.any(titles) {
		f.add(NoTitle, "Put <title>...</title> with the project's name into its head.",
			"%s has no title: a browser's tab and bookmarks have only the address to show.", shown(p.name))
	}
}

// flutter reports whether a page is the output of Flutter, which adds the viewport at run time.
func (l *Look) flutter() bool {
	return slices.ContainsFunc(l.refs, func(r ref) bool {
		switch path.Base(read(r.to).path) {
		case "flutter.js", "flutter_bootstrap.js", "main.dart.js":
			return true
		}
		return false
	})
}

// sound judges sounds that start before somebody has touched the page: browsers do not allow them.
func (f *finder) sound(p *Look) {
	const hint = "Begin sound in a handler of pointerdown, keydown or click; a video with muted may begin by itself."
	for _, l := range f.Looks {
		if l.early.line > 0 {
			f.add(SoundTooEarly, hint,
				"%s begins to play by itself, with sound: browsers block that until somebody has touched the page.", at(l, l.early))
		}
	}
	if (f.any(tones) || f.any(sounds) && f.any(plays)) && !f.any(keys|touches|clicks|resumes) && !f.lent() {
		f.add(SoundTooEarly, hint,
			"%s begins a sound, and nothing in the project waits for a touch, a click or a key: browsers block it.", shown(p.name))
	}
}

// lent reports whether some code that was not read may listen to touches: a library from another host, a missing
// script, or the rest of a file of which only the beginning was read.
func (f *finder) lent() bool {
	if f.scriptless {
		return true
	}
	for _, l := range f.Looks {
		if !l.whole {
			return true
		}
		for _, r := range l.refs {
			if strings.Contains(r.to, "//") && lending.MatchString(r.to) {
				return true
			}
		}
	}
	return false
}

// lending matches addresses of libraries that are known to listen to touches.
var lending = regexp.MustCompile("(?i)joystick|nipple|touch|hammer|aframe|howler|tone|pixi|babylon|playcanvas")
