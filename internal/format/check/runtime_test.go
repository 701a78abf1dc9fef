package check_test

import (
	"testing"

	"sandlot/internal/format/check"
)

const sdkLine = `<script src=".sandlot/sdk.js"></script>`

// headed is a page with these elements in its head.
func headed(elements string) check.Version {
	return one(`<!doctype html><html><head><meta name="viewport" content="width=device-width"><title>T</title>` + elements + `</head><body></body></html>`)
}

func TestLostDataIsReported(t *testing.T) {
	const artifact = `<script>async function load() { try { const r = await window.storage.get('a'); return r.value } catch { return null } }</script>`
	says(t, headed(artifact), "storage_lost "+sdkLine)
	says(t, headed(`<script>let s = 0, highScore = 0; onclick = () => { if (++s > highScore) highScore = s }</script>`), "storage_lost await sandlot.save(value)")
	says(t, headed(`<script>const g = {}; g.best_score = Math.max(1, 2)</script>`), "storage_lost index.html:1:")
	v := headed(`<script src=game.js></script>`)
	add(&v, "game.js", []byte("window.storage?.set('a', 1)\n"))
	says(t, v, "storage_lost game.js:1:7 uses window.storage")
	v.Place.NoRuntime = true
	says(t, v)
}

func TestStoredDataIsNotReported(t *testing.T) {
	for _, script := range []string{
		`const a = localStorage.getItem('a'); let highScore = 0`,
		`window.storage = { get() {} }; window.storage.get('a')`,
		`window.storage ||= { get() {} }; window.storage.get('a')`,
		`let highScore = 0; fetch('https://scores.example/', { method: 'POST' }).catch(() => 0)`,
		`if (highScore == 1) sum(highScore => 1)`,
		"\n// window.storage.get('a'), as elsewhere; highScore = 1\n",
		`navigator.storage.persist(); window.storageOf`,
		`indexedDB.open('a'); this.bestScore = 1`,
	} {
		v := headed(`<script>` + script + `</script>`)
		v.Place.Told = "scores.example"
		for _, f := range v.Findings() {
			if f.Code == check.StorageLost {
				t.Errorf("%s: %+v", script, f)
			}
		}
	}
	says(t, headed(sdkLine+`<script>window.storage.get('a'); let highScore = 1</script>`))
	says(t, headed(`<p id=high class=highscore data-x="highscore=1">High score</p>`))
	v := headed(`<script src=gone.js></script><script>let highScore = 1</script>`)
	says(t, v, "missing_file gone.js")
}

func TestTheScriptHasToBeFirst(t *testing.T) {
	says(t, headed(`<script type="importmap">{}</script><link rel=icon href="data:,">`+sdkLine+`<script>1</script>`))
	says(t, headed(`<script>let a = 1</script>`+sdkLine), "sdk_late "+sdkLine)
	says(t, headed(`<script src="/.sandlot/sdk.js" defer></script>`), "sdk_late without async")
	says(t, headed(`<script type=module src="./.sandlot/sdk.js"></script>`), "sdk_late index.html:1:")
	says(t, headed(`<script src=".sandlot/sdk.js?a"></script>`))
	const deferred = `<script type=module>sandlot.ready()</script><script defer src=game.js></script>`
	v := headed(deferred + sdkLine) // which run when the page was read
	add(&v, "game.js", []byte("1\n"))
	says(t, v)
	v = headed(`<script async src=game.js></script>` + sdkLine)
	add(&v, "game.js", []byte("1\n"))
	says(t, v, "sdk_late "+sdkLine)
}

// TestThePathOfTheScriptInAFolderIsTold: it lies at the root alone, and is no file to send.
func TestThePathOfTheScriptInAFolderIsTold(t *testing.T) {
	v := headed(`<link rel=prefetch href="a/b.html">`)
	add(&v, "a/b.html", []byte(`<!doctype html><html><head><meta name="viewport" content="width=device-width"><title>T</title>`+sdkLine+`</head><body></body></html>`))
	says(t, v, `missing_file Write <script src="../.sandlot/sdk.js"></script> there`)
}

func TestAScriptFromElsewhereIsReported(t *testing.T) {
	v := headed(`<script src="https://moon-abc123.sandlot.example/.sandlot/sdk.js"></script>`)
	v.Place.Own = "sandlot.example"
	says(t, v, "sdk_elsewhere named host")
	v = headed(`<script src="js/sandlot-sdk.js"></script>`)
	add(&v, "js/sandlot-sdk.js", []byte("fetch('/.sandlot/saves/main', {headers: {'X-Sandlot-Player': token}})\n"))
	says(t, v, "sdk_elsewhere js/sandlot-sdk.js is a copy")
	v = headed(`<script src="net.js"></script>`)
	add(&v, "net.js", []byte("fetch('/.sandlot/saves/main', {headers: {'X-Sandlot-Player': token}})\n"))
	says(t, v)
}
