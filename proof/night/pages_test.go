package night

import "sandlot/proof/night/corpus"

// phishing are the pages of a small night: one for the look at the files, one for the play-tester, and one without a field,
// which neither finds.
var phishing = []corpus.Page{
	{Kind: "login", Way: "clear", Title: "Sign in to your mailbox", Lang: "en", Collects: true, Files: map[string][]byte{
		"index.html": []byte(`<!doctype html><title>Mail</title><h1>Sign in</h1><form><input type=email><input type=password></form>`),
	}},
	{Kind: "login", Way: "computed", Title: "Mailbox", Lang: "en", Collects: true, Files: map[string][]byte{
		"index.html": []byte(`<!doctype html><title>Mail</title><h1>Sign in</h1><div id=d></div><script>` +
			`const word = list => list.map(n => String.fromCharCode(n / 7 - 3)).join('')` +
			`; const e = document.createElement(word([756, 791, 805, 840, 833])); e[word([833, 868, 805, 728])] = ` +
			`word([805, 700, 826, 826, 854, 798, 819, 721]); d.append(e)</script>`),
	}},
	{Kind: "parcel", Way: "picture", Title: "Your parcel waits", Lang: "en", Files: map[string][]byte{
		"index.html": []byte(`<!doctype html><title>Parcel</title><p>Call us about your parcel.<img src=p.svg alt="+1 555 0100">`),
		"p.svg":      []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 50"><rect width="90" height="50"/></svg>`),
	}},
}

// honest are a game, and one with a field for a password of its own.
var honest = []corpus.Page{
	{Kind: "game", Title: "Cloud hopper", Honest: true, Files: map[string][]byte{
		"index.html": []byte(`<!doctype html><title>Cloud hopper</title><canvas id=c></canvas><script src=game.js></script>`),
		"game.js":    []byte(`let n = 0; const x = c.getContext('2d'); setInterval(() => { x.fillRect(n++ % 300, 50, 9, 9) }, 30)`),
	}},
	{Kind: "game", Title: "Secret door", Honest: true, Password: true, Files: map[string][]byte{
		"index.html": []byte(`<!doctype html><title>Secret door</title><p>Which word opens the door?<input type=password id=word>`),
	}},
}

// some returns n pages of a list, again and again.
func some(list []corpus.Page, n int) (all []corpus.Page) {
	for i := range n {
		all = append(all, list[i%len(list)])
	}
	return all
}
