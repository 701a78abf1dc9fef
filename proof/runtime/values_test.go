package runtime

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// holds returns a file below a folder that has a text in it.
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

// TestValuesThatAreNoJSONAreRefused, and JSON comes back byte for byte.
func TestValuesThatAreNoJSONAreRefused(t *testing.T) {
	t.Parallel()
	p := start(t).blank(t)
	ada := p.player("ada")
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for about, value := range map[string]string{
		"nothing": "", "a word": "level", "NaN": "NaN", "Infinity": "-Infinity", "two values": "{} {}", "a comma": `{"a":1,}`, "a comment": "/**/{}",
		"a quote": `{'a':1}`, "no end": `{"a":1`, "bytes": "\xff\xfe", "bytes in a text": "\"\xff\"", "NUL": "\x00", "NUL in a text": "\"\x00\"",
		"1,000,000 levels": deep(1_000_000), "100,000 levels that do not end": strings.Repeat(`{"a":`, 100_000),
	} {
		for _, path := range []string{"saves/main", "shared/wall"} {
			got := ada.does(t, "PUT", path, value)
			if got.status != http.StatusRequestEntityTooLarge || len(value) < 20<<10 {
				got.refused(t, about+" to "+path, http.StatusBadRequest)
			}
		}
	}
	for _, value := range []string{
		"null", "0", "-0", "1e308", "5e-324", "12345678901234567890", "0.1", `""`, `"\u0000"`, `"\ud800"`, `"<\/script>"`, "[]", "{}", "true",
		`{"a":1,"a":2}`, `{"__proto__":{"polluted":true}}`, `{"constructor":{"prototype":{"polluted":true}}}`, `{"":{"":""}}`, deep(30), `"` + strings.Repeat("é", 1000) + `"`,
	} {
		for _, path := range []string{"saves/main", "shared/wall"} {
			put := ada.does(t, "PUT", path, value)
			if put.status == http.StatusBadRequest && (value == `{"a":1,"a":2}` || value == `"\ud800"`) {
				continue // values that two readers read differently may be refused
			}
			if put.status != http.StatusOK {
				t.Errorf("PUT %s %s: %d %s", path, brief(value), put.status, put.body)
				continue
			}
			if got := ada.does(t, "GET", path, ""); got.body != value {
				t.Errorf("%s comes back from %s as %d %s", value, path, got.status, got.body)
			}
		}
	}
}

// TestWhatAPlayerMayKeepIsBounded before it is stored, and a refused game goes on.
func TestWhatAPlayerMayKeepIsBounded(t *testing.T) {
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

// TestSharedValuesOfAProjectAreBounded in all: a call beyond the bound is refused, and existing values can still change.
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

// TestSoakScoresThatAreNoNumbersAreRefused, and none is a fault.
func TestSoakScoresThatAreNoNumbersAreRefused(t *testing.T) {
	t.Parallel()
	p := start(t).blank(t)
	p.quick(t, "main")
	ada := p.player("ada").enters(t)
	post := func(score string) answer {
		return ada.does(t, "POST", "scores/main", `{"score":`+score+`,"since":"`+ada.since+`"}`)
	}
	for _, score := range []string{"NaN", "Infinity", "-Infinity", "1e999", "-1e999", `"5"`, "null", "true", "[]", "{}", "", "0x10", `"NaN"`, "1_000", "١"} {
		post(score).refused(t, score, http.StatusBadRequest)
	}
	for _, body := range []string{"", "5", "[5]", `"5"`, "null", "{}", `{"score":5}{"score":6}`, "\xff", strings.Repeat(`{"score":`, 400)} {
		got := ada.does(t, "POST", "scores/main", body)
		got.refused(t, brief(body), http.StatusBadRequest)
	}
	ada.does(t, "POST", "scores/main", `{"score":5,"name":"`+strings.Repeat("a", 10<<20)+`"}`).refused(t, "10 MB", http.StatusRequestEntityTooLarge)
	for _, score := range []string{"0", "-0", "-1.5", "1.7976931348623157e308", "-1.7976931348623157e308", "5e-324", "9007199254740993"} {
		got := post(score)
		if got.status != http.StatusOK && got.status != http.StatusTooManyRequests {
			t.Errorf("%s: %d %s", score, got.status, got.body)
		}
	}
	for _, query := range []string{
		"limit=0", "limit=-1", "limit=101", "limit=1e9", "limit=99999999999999999999", "limit=a", "period=year", "period=", "around=maybe", "limit=5;limit=6",
		"period=all&period=today", "%ff", "limit=%00",
	} {
		if got := ada.does(t, "GET", "scores/main?"+query, ""); got.status >= 500 {
			t.Errorf("%s: %d %s", query, got.status, got.body)
		} else if got.status >= 400 {
			got.refused(t, query, http.StatusBadRequest)
		}
	}
}

// TestSoakOneBestRowAPlayer, by the order of the board, ties by the earlier, whatever comes later.
func TestSoakOneBestRowAPlayer(t *testing.T) {
	t.Parallel()
	p := start(t).blank(t)
	type entry struct {
		Rank  int
		Score float64
		You   bool
	}
	for _, c := range []struct {
		order, other string
		scores       []int
		best         float64
	}{{"desc", "asc", []int{40, 60, 60, 10}, 60}, {"asc", "desc", []int{60, 40, 40, 90}, 40}} {
		one, two := p.player("one-"+c.order), p.player("two-"+c.order)
		score := func(who *player, n int, order string) {
			t.Helper()
			got := who.scores(t, c.order, n, "order", order)
			if got.status != http.StatusOK {
				t.Fatalf("a score: %d %s", got.status, got.body)
			}
		}
		for _, n := range c.scores {
			score(one, n, c.order)
			p.owner(t, "PATCH", "/boards/"+c.order, `{"min_seconds":0}`)
		}
		score(two, int(c.best), c.other) // the board keeps its order
		var top struct {
			Of      int
			Entries []entry
		}
		testenv.Eventually(t, limit, "the second player is on the list", func() bool {
			got := two.does(t, "GET", "scores/"+c.order, "")
			expect.OK(t, json.Unmarshal([]byte(got.body), &top), got.body)
			return top.Of == 2
		})
		expect.Same(t, "the board", top.Entries, []entry{{1, c.best, false}, {2, c.best, true}})
	}
}
