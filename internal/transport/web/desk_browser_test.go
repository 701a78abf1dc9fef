package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/testenv"
)

// deskInBrowser is a bureau with three reported projects of lee's, oldest first, for kim in a browser, and where it is.
func deskInBrowser(t *testing.T) (*bureau, string) {
	t.Helper()
	var b *bureau
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.AddCookie(&http.Cookie{Name: cookieName, Value: b.kim.session})
		b.ServeHTTP(w, r)
	}))
	b = newBureau(t, listens(srv))
	for _, id := range []sandlot.ProjectID{"second-abc234", "third-abc234"} {
		b.later(1)
		b.add(id, publish.NewProject{Account: b.lee.account.ID, Title: "قلعة الرمال " + string(id)})
		b.report(id, "malware", arabicWords)
	}
	srv.Start()
	t.Cleanup(srv.Close)
	return b, b.places.Base.String()
}

// strike sends a key to the page as a keyboard does.
func strike(t *testing.T, ctx context.Context, key string) {
	t.Helper()
	run(t, ctx, chromedp.KeyEvent(key))
}

// TestTheDeskByKeyboard: each key has its effect, none while somebody types, and none once they are switched off.
func TestTheDeskByKeyboard(t *testing.T) {
	t.Parallel()
	b, site := deskInBrowser(t)
	ctx := testenv.Engine(t)
	current := func() string {
		return run(t, ctx, chromedp.Evaluate[string](`document.querySelector('.desk-row.current code').textContent`))
	}
	run(t, ctx, chromedp.Navigate(site+"/desk"))
	await(t, ctx, `!!document.querySelector('.desk-row.current')`)
	if got := current(); got != string(b.lees) {
		t.Fatalf("first %s is marked", got)
	}
	strike(t, ctx, "j")
	strike(t, ctx, "j")
	strike(t, ctx, "j")
	strike(t, ctx, "k")
	strike(t, ctx, "b")
	if !run(t, ctx, chromedp.Evaluate[bool](`document.querySelector('[name=block]').checked`)) {
		t.Error("b does not block")
	}
	strike(t, ctx, "b")
	if got := current(); got != "second-abc234" {
		t.Errorf("after j j j k %s is marked", got)
	}
	strike(t, ctx, "t")
	// The next case has the focus, and the message.
	await(t, ctx, `document.activeElement?.getAttribute('aria-describedby') === 'said' && document.activeElement.closest('.current')?.querySelector('code').textContent === 'third-abc234'`)
	if b.suspended(b.lees) || !b.suspended("second-abc234") {
		t.Error("t did not take the marked one down alone")
	}
	strike(t, ctx, "u")
	// The page first gives the focus to its message: only after that the words can have it.
	await(t, ctx, `document.activeElement?.id === 'said' && document.activeElement.textContent.includes('undone') && document.documentElement.classList.contains('keyed')`)
	if b.suspended("second-abc234") {
		t.Error("u did not undo it")
	}

	run(t, ctx, chromedp.Evaluate[bool](`document.querySelector('.desk-more').open = true; document.querySelector('#words').focus(); true`))
	strike(t, ctx, "t")
	if got := run(t, ctx, chromedp.Evaluate[string](`document.querySelector('#words').value`)); got != "t" || b.suspended(b.lees) {
		t.Errorf("while typing it is a decision: %q", got)
	}
	run(t, ctx, chromedp.Evaluate[bool](`document.activeElement.blur(); true`))
	strike(t, ctx, "?")
	await(t, ctx, `document.querySelector('dialog').open`)
	strike(t, ctx, "t")
	if b.suspended(b.lees) {
		t.Error("a key acts behind the list of keys")
	}
	run(t, ctx, chromedp.Click("[data-switch]"))
	run(t, ctx, chromedp.Click("dialog form button"))
	for range 2 { // also after a reload
		await(t, ctx, `!document.querySelector('.desk-row.current') && !document.querySelector('[aria-keyshortcuts]')`)
		strike(t, ctx, "j")
		strike(t, ctx, "t")
		if b.suspended(b.lees) || run(t, ctx, chromedp.Evaluate[bool](`!!document.querySelector('.desk-row.current')`)) {
			t.Error("keys that are switched off act")
		}
		run(t, ctx, chromedp.Reload())
	}
	run(t, ctx, chromedp.Evaluate[bool](`localStorage.removeItem('desk-keys'); true`))
	run(t, ctx, chromedp.Reload())
	await(t, ctx, `!!document.querySelector('.desk-row.current')`)
	strike(t, ctx, "o")
	await(t, ctx, `!!document.querySelector('.desk-case') && document.documentElement.classList.contains('keyed')`)
	strike(t, ctx, "a")
	await(t, ctx, `!!document.querySelector('.desk-undo')`)
	if !b.suspended(b.lees) || !b.suspended("third-abc234") {
		t.Error("a did not take the account down")
	}
}

// TestTheDeskOnAPhone: the decisions lie at the lower edge with targets of 44 pixels, nothing is wider than the screen, and all works without
// scripts.
func TestTheDeskOnAPhone(t *testing.T) {
	t.Parallel()
	b, site := deskInBrowser(t)
	ctx := testenv.Engine(t)
	at := "/desk/" + string(b.lees)
	for _, size := range []struct {
		w, h  int64
		scale float64
	}{{390, 844, 1}, {320, 568, 1}, {1280, 1024, 2}} {
		run(t, ctx, chromedp.EmulateViewport(int64(float64(size.w)/size.scale), int64(float64(size.h)/size.scale), chromedp.EmulateMobile))
		for _, path := range []string{"/desk", at, "/desk/second-abc234"} {
			run(t, ctx, chromedp.Navigate(site+path))
			await(t, ctx, `!document.querySelector('[data-tools]').hidden`)
			if over := run(t, ctx, chromedp.Evaluate[int](tooWide)); over > 0 {
				t.Errorf("%s is %d pixels wider than %d", path, over, size.w)
			}
			for _, wrong := range run(t, ctx, chromedp.Evaluate[[]string](`(() => {
				const bad = [];
				for (const b of document.querySelectorAll('.desk-do button, .desk-check, .desk-more summary')) {
					const r = b.getBoundingClientRect();
					if (r.width < 44 || r.height < 44) bad.push(b.outerHTML.slice(0, 80) + ' is ' + r.width + ' by ' + r.height);
				}
				for (const b of document.querySelectorAll('.desk-do button')) {
					const r = b.getBoundingClientRect();
					if (innerHeight > 450 && (r.bottom > innerHeight || r.top < innerHeight / 2)) bad.push(b.textContent + ' is at ' + r.top);
				}
				return bad;
			})()`)) {
				t.Errorf("%s at %d: %s", path, size.w, wrong)
			}
			b.shoot(t, ctx, fmt.Sprintf("desk-phone-%d-%d", size.w, strings.Count(path, "/")))
		}
	}
	run(t, ctx, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	run(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		return tab.Call(ctx, "Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	}))
	run(t, ctx, chromedp.Navigate(site+at))
	run(t, ctx, chromedp.Click(`[name=action][value=hold]`))
	testenv.Eventually(t, 30*time.Second, "the button holds it", func() bool {
		return must(b.db.Publish().Project(t.Context(), b.lees))(t).Held.Rule == sandlot.HeldModerator
	})
}

func (b *bureau) shoot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	if folder := os.Getenv("SANDLOT_TEST_SHOTS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name+".png"), run(t, ctx, chromedp.CaptureScreenshot()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
