package web

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/base/catalog"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/web/texts"
)

// used finds the names of texts in templates and in Go: T "name", T("name"). Names of problems begin with error.
var used = regexp.MustCompile(`(?:\bT |\bRich |\bForms |\bT\(|\bRich\()"([a-z0-9.-]+)"`)

// namesInUse are the names that the code says. A problem has a title and a text.
func namesInUse(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, pattern := range []string{"*.go", "*/*.go", "templates/*.html"} {
		list, err := filepath.Glob(pattern)
		expect.OK(t, err)
		for _, name := range list {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			data, err := os.ReadFile(name)
			expect.OK(t, err)
			for _, m := range used.FindAllStringSubmatch(string(data), -1) {
				names[m[1]] = true
			}
			if strings.HasSuffix(name, ".go") {
				for _, m := range regexp.MustCompile(`"((?:said|new|own|cover|checks|openid|send)\.[a-z.-]+)"`).FindAllStringSubmatch(string(data), -1) {
					if !strings.HasSuffix(m[1], ".html") {
						names[m[1]] = true
					}
				}
				for _, m := range regexp.MustCompile(`(?:, |return )"(error\.[a-z-]+)"`).FindAllStringSubmatch(string(data), -1) {
					if m[1] == "error.html" {
						continue // a template
					}
					names[m[1]+".title"], names[m[1]+".text"] = true, true
				}
			}
		}
	}
	for _, state := range []operate.InvitationState{
		operate.InvitationOpen, operate.InvitationUsed, operate.InvitationEnded, operate.InvitationExpired,
	} {
		names["invitations.state-"+string(state)] = true
	}
	for _, name := range []string{"mail", "content", "pages"} {
		names["steps."+name], names["steps."+name+"-done"], names["steps."+name+"-todo"] = true, true, true
	}
	for _, kind := range []string{"added", "changed", "moved", "removed"} {
		names["own.is-"+kind], names["own.sum-"+kind] = true, true
	}
	for _, period := range boards.Periods {
		names[periodText+string(period)] = true
	}
	for _, name := range runtimes {
		names[runtimeText+name] = true
	}
	for _, kind := range faults.Kinds {
		names[faultText+kind] = true
	}
	for _, step := range []string{"refuse", "reset", "delete"} {
		names[askText+step+"-title"], names[askText+step+"-lead"], names[askText+step+"-yes"] = true, true, true
	}
	names[boardText+boards.Default] = true
	for _, order := range orders {
		names[orderText+string(order)] = true
	}
	for _, name := range paperTexts {
		names[name] = true
	}
	for _, tag := range gallery.KnownTags() {
		names[tagName+tag] = true
	}
	for _, reason := range operate.Reasons() {
		names["report."+reason], names["desk.why-"+reason] = true, true
	}
	for _, action := range []desk.Action{desk.Dismiss, desk.Hold, desk.TakeDown, desk.TakeDownAccount} {
		names["desk.do-"+string(action)] = true
		if action != desk.Dismiss {
			names["object.was-"+string(action)] = true
		}
	}
	for _, waits := range []string{desk.WaitsReports, desk.WaitsHeld, desk.WaitsVerdict, desk.WaitsObjection} {
		names["desk.waits-"+waits] = true
	}
	for _, same := range []string{"hash", "account", "network"} {
		names["desk.same-"+same] = true
	}
	for _, why := range []string{string(sandlot.HeldFields), string(sandlot.HeldReports), string(sandlot.HeldJudge), string(sandlot.HeldModerator), "down"} {
		names["appeal.is-"+why], names["appeal.ends-"+why] = true, true
	}
	return names
}

// TestRegression42EveryTextIsThereInEveryLanguageAndUsed: one that no page says was kept in seven languages.
func TestRegression42EveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	t.Parallel()
	b := texts.Open()
	want := []string{"en", "de", "es", "fr", "ja", "pt", "zh-Hans"}
	if got := slices.Sorted(maps.Keys(b.ByLang)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Fatalf("the languages are %v", got)
	}
	inUse := namesInUse(t)
	for lang, texts := range b.ByLang {
		for name := range inUse {
			if _, ok := texts[name]; !ok {
				t.Errorf("%s has no %s", lang, name)
			}
		}
		for name := range texts {
			if !inUse[name] {
				t.Errorf("nothing says %s, which is in %s", name, lang)
			}
			if _, ok := b.ByLang[catalog.Fallback][name]; !ok {
				t.Errorf("%s is in %s alone", name, lang)
			}
		}
		if len(texts) != len(b.ByLang[catalog.Fallback]) {
			t.Errorf("%s has %d texts, %s has %d", lang, len(texts), catalog.Fallback, len(b.ByLang[catalog.Fallback]))
		}
	}
}
