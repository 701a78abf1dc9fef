package main

import (
	"encoding/base64"
	"fmt"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A fox is a tab of Firefox.
type fox struct {
	browser *testenv.Bidi
	tab     string
}

// newFoxPerson opens a tab of Firefox that shares nothing with its other tabs, and listens to the console from there on.
func newFoxPerson(t *testing.T, browser *testenv.Bidi, site string, l look) *person {
	t.Helper()
	var made struct {
		UserContext string `json:"userContext"`
		Context     string `json:"context"`
	}
	expect.OK(t, browser.Call("browser.createUserContext", map[string]any{}, &made))
	expect.OK(t, browser.Call("browsingContext.create", map[string]any{"type": "tab", "userContext": made.UserContext}, &made))
	expect.OK(t, browser.Call("browsingContext.setViewport", map[string]any{"context": made.Context, "viewport": map[string]any{"width": l.width, "height": l.height}}, nil))
	return &person{t: t, site: site, look: l, fox: &fox{browser, made.Context}}
}

func (f *fox) open(address string) error {
	return f.browser.Call("browsingContext.navigate", map[string]any{"context": f.tab, "url": address, "wait": "complete"}, nil)
}

func (f *fox) evaluate(expression string) (string, error) {
	var got struct {
		Type   string `json:"type"`
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
		Details struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	err := f.browser.Call("script.evaluate", map[string]any{"expression": expression, "target": map[string]any{"context": f.tab}, "awaitPromise": true}, &got)
	if err == nil && got.Type != "success" {
		err = fmt.Errorf("%s: %s", expression, got.Details.Text)
	}
	return got.Result.Value, err
}

func (f *fox) picture() ([]byte, error) {
	var got struct {
		Data string `json:"data"`
	}
	if err := f.browser.Call("browsingContext.captureScreenshot", map[string]any{"context": f.tab}, &got); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(got.Data)
}

// perform does one thing after the other with the mouse or the keyboard.
func (f *fox) perform(kind string, actions ...map[string]any) error {
	return f.browser.Call("input.performActions", map[string]any{"context": f.tab, "actions": []any{map[string]any{"type": kind, "id": kind, "actions": actions}}}, nil)
}

func (f *fox) click(x, y float64) error {
	return f.perform("pointer", map[string]any{"type": "pointerMove", "x": int(x), "y": int(y)}, map[string]any{"type": "pointerDown", "button": 0}, map[string]any{"type": "pointerUp", "button": 0})
}

func (f *fox) strike(key string) error {
	return f.perform("key", map[string]any{"type": "keyDown", "value": key}, map[string]any{"type": "keyUp", "value": key})
}

// plays scores in the game, which is a frame of the tab or all of it: what is done to a tab does not reach frames of other sites.
func (f *fox) plays(keys bool) error {
	var tree struct {
		Contexts []struct {
			Context  string `json:"context"`
			Children []struct {
				Context string `json:"context"`
			} `json:"children"`
		} `json:"contexts"`
	}
	if err := f.browser.Call("browsingContext.getTree", map[string]any{"root": f.tab}, &tree); err != nil {
		return err
	}
	game := &fox{f.browser, f.tab}
	if in := tree.Contexts[0].Children; len(in) > 0 {
		game.tab = in[len(in)-1].Context
	}
	if keys {
		return game.strike(" ")
	}
	return game.click(50, 50)
}
