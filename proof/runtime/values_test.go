package runtime

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// holds returns a file below a folder that contains a text; "" if none does.
func holds(t *testing.T, folder, text string) (found string) {
	t.Helper()
	expect.OK(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(content), text) {
			found = path
		}
		return err
	}))
	return found
}

func TestTheDataOfAPlayerIsBounded(t *testing.T) {
	t.Parallel()
	p := start(t).blank(t)
	ada := p.player("ada")
	text := func(n int) string { return `"` + strings.Repeat("a", n-2) + `"` }
	put := func(path string, n int) answer { return ada.does(t, "PUT", path, text(n)) }
	expect.Equal(t, "status of 256 KiB", put("saves/main", 256<<10).status, http.StatusOK)
	for _, n := range []int{256<<10 + 1, 10 << 20, 100 << 20} {
		put("saves/main", n).refused(t, fmt.Sprint(n, " bytes"), http.StatusRequestEntityTooLarge)
	}
	expect.Equal(t, "status of 20 KiB", put("shared/wall", 20<<10).status, http.StatusOK)
	put("shared/wall", 20<<10+1).refused(t, "a shared value", http.StatusRequestEntityTooLarge)
	put("shared/wall", 10<<20).refused(t, "a shared value", http.StatusRequestEntityTooLarge)
	for i := range 11 {
		expect.Equal(t, "status of a slot", put(fmt.Sprint("saves/large", i), 256<<10).status, http.StatusOK)
	}
	if got := put("saves/last", 1000); got.status < 400 || got.status > 499 {
		t.Errorf("a byte over 3 MiB: %d %s", got.status, got.body)
	} else {
		got.refused(t, "a byte over 3 MiB", got.status)
	}
	expect.Equal(t, "status of a smaller value in a slot", put("saves/main", 10).status, http.StatusOK)
	for i := range 20 {
		expect.Equal(t, "status of a small slot", put(fmt.Sprint("saves/small", i), 10).status, http.StatusOK)
	}
	if got := put("saves/slot33", 10); got.status < 400 || got.status > 499 {
		t.Errorf("a slot over 32: %d %s", got.status, got.body)
	}
	expect.Equal(t, "status of deleting", ada.does(t, "DELETE", "saves/large0", "").status/100, 2)
	expect.Equal(t, "status of deleting again", ada.does(t, "DELETE", "saves/large0", "").status/100, 2)
	expect.Equal(t, "status of a slot after that", put("saves/slot33", 10).status, http.StatusOK)
}

// TestSharedValuesOfAProjectAreBounded: beyond the bound existing values can still change.
func TestSharedValuesOfAProjectAreBounded(t *testing.T) {
	t.Parallel()
	p := start(t).blank(t)
	ada := p.player("ada")
	value := `"` + strings.Repeat("a", 20<<10-2) + `"`
	kept := 0
	for i := range 60 {
		got := ada.does(t, "PUT", fmt.Sprint("shared/k", i), value)
		if got.status == http.StatusOK {
			kept++
			continue
		}
		got.refused(t, fmt.Sprint("value ", i), got.status)
		if got.status != http.StatusTooManyRequests && got.status != http.StatusRequestEntityTooLarge {
			t.Fatalf("value %d: %d %s", i, got.status, got.body)
		}
	}
	if kept < 45 || kept > 52 {
		t.Errorf("%d values of 20 KiB are kept", kept)
	}
	expect.Equal(t, "status of a change", p.player("eve").does(t, "PUT", "shared/k0", `"b"`).status, http.StatusOK)
	for i := range 3000 {
		if got := ada.does(t, "PUT", fmt.Sprint("shared/", i), "1"); got.status == http.StatusTooManyRequests || got.status == http.StatusRequestEntityTooLarge {
			break
		} else if got.status != http.StatusOK {
			t.Fatalf("a small value: %d %s", got.status, got.body)
		}
	}
	if n := strings.Count(ada.does(t, "GET", "shared", "").body, `"key"`); n > 1000 {
		t.Errorf("a list has %d keys", n)
	}
}
