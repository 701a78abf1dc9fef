package night

// A page is a project as somebody publishes it.
type page struct {
	Kind, Way, Trick, Title string // of a phishing page: what it is after, and how it hides that
	Files                   map[string][]byte
	Collects                bool // whether it takes the secret itself; else it leads to a page elsewhere that does
	Password                bool // of an honest one: whether it has a field for a password
}

// phishing are a few pages of a small night: one that the look finds, one that the play-tester alone finds, and one that
// nothing finds, because it has no field.
var phishing = []page{
	{Kind: "login", Way: "clear", Title: "Sign in to your mailbox", Collects: true, Files: map[string][]byte{
		"index.html": []byte(`<!doctype html><title>Mail</title><h1>Sign in</h1><form><input type=email><input type=password></form>`),
	}},
	{Kind: "login", Way: "computed", Title: "Mailbox", Collects: true, Files: map[string][]byte{
		"index.html": []byte(`<!doctype html><title>Mail</title><h1>Sign in</h1><div id=d></div><script>` +
			`const word = list => list.map(n => String.fromCharCode(n / 7 - 3)).join('')` +
			`; const e = document.createElement(word([756, 791, 805, 840, 833])); e[word([833, 868, 805, 728])] = ` +
			`word([805, 700, 826, 826, 854, 798, 819, 721]); d.append(e)</script>`),
	}},
	{Kind: "parcel", Way: "picture", Title: "Your parcel waits", Files: map[string][]byte{
		"index.html": []byte(`<!doctype html><title>Parcel</title><a href="https://parcel.internal/pay"><img src=p.svg alt="Pay 1.99 now"></a>`),
		"p.svg":      []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 50"><rect width="90" height="50"/></svg>`),
	}},
}

// honest are a game, and one with a field for a password of its own.
var honest = []page{
	{Kind: "game", Title: "Cloud hopper", Files: map[string][]byte{
		"index.html": []byte(`<!doctype html><title>Cloud hopper</title><canvas id=c></canvas><script src=game.js></script>`),
		"game.js":    []byte(`let n = 0; const x = c.getContext('2d'); setInterval(() => { x.fillRect(n++ % 300, 50, 9, 9) }, 30)`),
	}},
	{Kind: "game", Title: "Secret door", Password: true, Files: map[string][]byte{
		"index.html": []byte(`<!doctype html><title>Secret door</title><p>Which word opens the door?<input type=password id=word>`),
	}},
}

// some returns n pages of a list, again and again.
func some(list []page, n int) (all []page) {
	for i := range n {
		all = append(all, list[i%len(list)])
	}
	return all
}
