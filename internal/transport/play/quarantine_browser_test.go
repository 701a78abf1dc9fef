package play

import (
	"context"
	"testing"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/testenv"
)

func TestRegression15QuarantineBreaksNoDialogAndNoFormEvent(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s := newStage(t, false, func(c *Config) { c.Quarantine = true })
	s.put("thief-abc234", s.file("index.html", `<!doctype html><p>got it`))
	s.put(gameID, s.file("index.html", `<!doctype html><title>Game</title>
<form id=f action="`+s.url("thief-abc234")+`"><input name=secret value=1></form>
<script>
document.addEventListener("securitypolicyviolation", e => { window.blocked = e.effectiveDirective })
f.onsubmit = () => { window.fired = true }
</script>`))
	answers := make(chan struct{}, 10)
	done, stop := context.WithCancel(ctx)
	defer stop()
	if err := chromedp.Listen(ctx, func(ev any) {
		if _, ok := ev.(*cdp.EventJavascriptDialogOpening); ok {
			answers <- struct{}{}
		}
	}); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			select {
			case <-answers:
				_, _ = chromedp.Call(ctx, cdp.HandleJavaScriptDialog, cdp.HandleJavaScriptDialogParams{Accept: true})
			case <-done.Done():
				return
			}
		}
	}()
	run(t, ctx, chromedp.Navigate(s.url(gameID)))
	if !run(t, ctx, chromedp.Evaluate[bool](`confirm("again?")`)) {
		t.Error("confirm is false although it was accepted")
	}
	run(t, ctx, chromedp.Evaluate[bool](`f.requestSubmit(), true`))
	for !run(t, ctx, chromedp.Evaluate[bool](`!!window.blocked || location.host != "`+s.url(gameID)[len("http://"):len(s.url(gameID))-1]+`"`)) {
	}
	if got := run(t, ctx, chromedp.Evaluate[string](`[window.fired, window.blocked, location.host == "`+s.url(gameID)[len("http://"):len(s.url(gameID))-1]+`"].join()`)); got != "true,form-action,true" {
		t.Errorf("fired, blocked and at home: %s", got)
	}
}
