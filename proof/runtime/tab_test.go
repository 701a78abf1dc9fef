package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A tab is a tab of a browser with a storage of its own, as if each tab were a device.
type tab interface {
	open(address string) error
	// eval evaluates an expression in the page, awaits it if it is a promise, and returns its text.
	eval(expression string) (string, error)
	resize(width, height int) error
	picture() ([]byte, error)
}

// browsers are the browsers that games run in, by name. Each returns a new tab.
type browsers map[string]func(t *testing.T) tab

// both starts Chromium and Firefox. With blocked, frames of other sites have no storage.
func both(t *testing.T, blocked bool) browsers {
	t.Helper()
	list := browsers{"chromium": func(t *testing.T) tab {
		t.Helper()
		if blocked {
			return chrome{testenv.Engine(t, chromedp.Flag("test-third-party-cookie-phaseout", true))}
		}
		return chrome{testenv.Engine(t)}
	}}
	cookies := map[bool]int{true: 1, false: 5}[blocked]
	var fox *testenv.Bidi
	list["firefox"] = func(inner *testing.T) tab {
		inner.Helper()
		if fox == nil {
			fox = testenv.Firefox(t, fmt.Sprintf("user_pref(\"network.cookie.cookieBehavior\", %d);\n", cookies))
		}
		return newFox(inner, fox)
	}
	return list
}

// each runs a test in each browser.
func (b browsers) each(t *testing.T, test func(t *testing.T, open func() tab)) {
	t.Helper()
	for _, name := range []string{"chromium", "firefox"} {
		t.Run(name, func(t *testing.T) { test(t, func() tab { return b[name](t) }) })
	}
}

// A chrome is a tab of Chromium.
type chrome struct{ ctx context.Context }

func (c chrome) open(address string) error { return chromedp.Do(c.ctx, chromedp.Navigate(address)) }

func (c chrome) eval(expression string) (string, error) {
	return chromedp.Run(c.ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
}

func (c chrome) resize(width, height int) error {
	return chromedp.Do(c.ctx, chromedp.EmulateViewport(int64(width), int64(height)))
}

func (c chrome) picture() ([]byte, error) { return chromedp.Run(c.ctx, chromedp.CaptureScreenshot()) }

// A fox is a tab of Firefox.
type fox struct {
	browser *testenv.Bidi
	tab     string
}

func newFox(t *testing.T, browser *testenv.Bidi) fox {
	t.Helper()
	var made struct {
		UserContext string `json:"userContext"`
		Context     string `json:"context"`
	}
	expect.OK(t, browser.Call("browser.createUserContext", object{}, &made))
	expect.OK(t, browser.Call("browsingContext.create", object{"type": "tab", "userContext": made.UserContext}, &made))
	return fox{browser, made.Context}
}

func (f fox) open(address string) error {
	return f.browser.Call("browsingContext.navigate", object{"context": f.tab, "url": address, "wait": "complete"}, nil)
}

func (f fox) eval(expression string) (string, error) {
	var got struct {
		Type   string `json:"type"`
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
		Details struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	err := f.browser.Call("script.evaluate", object{"expression": expression, "target": object{"context": f.tab}, "awaitPromise": true}, &got)
	if err == nil && got.Type != "success" {
		err = fmt.Errorf("%s: %s", expression, got.Details.Text)
	}
	return got.Result.Value, err
}

func (f fox) resize(width, height int) error {
	return f.browser.Call("browsingContext.setViewport", object{"context": f.tab, "viewport": object{"width": width, "height": height}}, nil)
}

func (f fox) picture() ([]byte, error) {
	var got struct {
		Data []byte `json:"data"`
	}
	err := f.browser.Call("browsingContext.captureScreenshot", object{"context": f.tab}, &got)
	return got.Data, err
}

// opens opens a page.
func opens(t *testing.T, in tab, address string) {
	t.Helper()
	expect.OK(t, in.open(address), "open", address)
}

// awaits waits until an expression is true in the page.
func awaits(t *testing.T, in tab, expression string) {
	t.Helper()
	last := ""
	if !testenv.Poll(limit, func() bool {
		is, err := in.eval(`String(!!(` + expression + `))`)
		if last = is; err != nil {
			last = err.Error()
		}
		return is == "true"
	}) {
		at, _ := in.eval(`location.href + '\n' + document.body.innerText + '\n' + JSON.stringify(window.report)`)
		t.Fatalf("%s is %s at %s", expression, last, at)
	}
}

// asks evaluates an expression for a promise in the page, and returns its value.
func asks(t *testing.T, in tab, expression string) (value any) {
	t.Helper()
	text, err := in.eval(`(async () => JSON.stringify(await (` + expression + `)) ?? 'null')()`)
	expect.OK(t, err, expression)
	expect.OK(t, json.Unmarshal([]byte(text), &value), text)
	return value
}
