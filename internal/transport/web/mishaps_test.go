package web

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

// stored counts the blobs on the disk.
func (w *world) stored() (n int) {
	w.t.Helper()
	for _, err := range w.disk.List(w.t.Context(), time.Now().Add(time.Hour)) {
		expect.OK(w.t, err)
		n++
	}
	return n
}

func TestAnUploadThatBreaksMidwayChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before, blobs := w.written(), w.stored()
	whole, kind := uploadOf("", "b.js", strings.Repeat("one ", 100_000), "c.js", strings.Repeat("two ", 100_000))
	for name, left := range map[string]int{"in the second file": 300_000, "in the first file": 700_000, "before its last line": 3, "in the words": whole.Len() - 100, "at its end": whole.Len()} {
		body := bytes.NewReader(whole.Bytes()[:whole.Len()-left])
		resp := w.post(w.path("/account/projects/{id}/files"), body, kind)
		if said := text(t, resp); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(said, "Nothing changed") {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
		if w.written() != before || w.stored() != blobs {
			t.Errorf("%s: something was kept, or %d blobs and not %d", name, w.stored(), blobs)
		}
	}
	if resp := w.post(w.path("/account/projects/{id}/files"), bytes.NewReader(whole.Bytes()), kind); resp.StatusCode != http.StatusSeeOther || w.stored() != blobs+2 {
		t.Errorf("sent again as a whole: %d, %d blobs", resp.StatusCode, w.stored())
	}
}

// files are those of a version, with the hashes of what is in them.
func (w *world) files(n int) (out []string) {
	w.t.Helper()
	for _, f := range must(w.service.Contents.Files(w.t.Context(), w.kim.project, n))(w.t) {
		out = append(out, f.Name+" "+f.Blob.SHA256.String())
	}
	return out
}

// TestTwoPeopleRestoreAtOnce: each makes one version, and all before them stay.
func TestTwoPeopleRestoreAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	was := [][]string{nil, w.files(1), w.files(2), w.files(3)}
	var both sync.WaitGroup
	for n, once := range map[string]string{"1": "hers", "2": "his"} {
		both.Go(func() {
			resp := w.send(w.path("/account/projects/{id}/restore"), url.Values{"n": {n}, "form_token": {once}})
			if resp.StatusCode != http.StatusSeeOther {
				t.Errorf("version %s: %d", n, resp.StatusCode)
			}
		})
	}
	both.Wait()
	m := must(w.service.Reader.Manage(t.Context(), w.owner(w.kim.session), w.kim.project))(t)
	if m.Project.Version != 5 {
		t.Fatalf("the version is %d", m.Project.Version)
	}
	fourth, fifth := w.files(4), w.files(5)
	if slices.Equal(fourth, was[2]) {
		fourth, fifth = fifth, fourth
	}
	if !slices.Equal(fourth, was[1]) || !slices.Equal(fifth, was[2]) {
		t.Errorf("the new versions have %v and %v", fourth, fifth)
	}
	for n := 1; n <= 3; n++ {
		if got := w.files(n); !slices.Equal(got, was[n]) {
			t.Errorf("version %d has %v now", n, got)
		}
	}
}

// TestTokensThatAreUsedOrTooOldLeadToNewOnes, whether they are looked at or used.
func TestTokensThatAreUsedOrTooOldLeadToNewOnes(t *testing.T) {
	t.Parallel()
	fresh := copies(t)
	for path, offer := range map[string]string{"/verify": "/login", "/login/link": "/login", "/account/email": "/account/settings", "/account/undo": "/login"} {
		for _, spoil := range []string{"used", "too old", "unknown"} {
			w := fresh(t)
			f := forms[path].fields(w)
			switch spoil {
			case "used":
				expect.Equal(t, path, w.send(path, f).StatusCode, forms[path].status)
			case "too old":
				w.later(8 * 24 * time.Hour)
			case "unknown":
				f.Set("token", "none")
			}
			before := w.kept()
			looked := request(w, "GET", path+"?"+f.Encode(), "", "Cookie", loginCookie+"="+w.browser)
			for how, resp := range map[string]*http.Response{"looked at": looked, "used": w.send(path, f)} {
				if body := text(t, resp); resp.StatusCode != http.StatusGone || !strings.Contains(body, `<p><a href="`+offer+`">`) {
					t.Errorf("%s, %s, %s: %d, without an offer of another", path, spoil, how, resp.StatusCode)
				}
			}
			if after := w.kept(); len(after["accounts"]) != len(before["accounts"]) || !slices.Equal(after["accounts"], before["accounts"]) {
				t.Errorf("%s, %s: it changed something", path, spoil)
			}
		}
	}
}
