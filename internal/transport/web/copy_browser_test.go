package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestTheCallToPublishIsCopiedByAButton(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.screen(t, false)
	for _, with := range []string{"", "Object.defineProperty(navigator, 'clipboard', {value: undefined})"} {
		g.visit(t, look{path: "/"}, "en")
		run(t, g.ctx, chromedp.Evaluate[chromedp.Void](with+";document.addEventListener('copy', () => { window.copied = String(getSelection()) }); undefined"))
		run(t, g.ctx, chromedp.Evaluate[chromedp.Void](`if (navigator.clipboard) navigator.clipboard.writeText = async (said) => { window.copied = said }`))
		run(t, g.ctx, chromedp.Click("#tab-way-curl"))
		run(t, g.ctx, chromedp.Click("[data-copy=call]"))
		run(t, g.ctx, chromedp.Poll[bool](`document.querySelector('#by-curl output').textContent === 'Copied'`))
		said := run(t, g.ctx, chromedp.Evaluate[string](`window.copied`))
		if lines := strings.Split(said, "\n"); len(lines) != 3 || lines[0] != `curl -F content=@index.html \` || lines[2] != "  "+g.site+"/v1/publish" {
			t.Errorf("with %q it copied %q", with, said)
		}
	}
}
