package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAStartFindsWhatAnEarlierReleaseListed: a database of before there was an index has nothing in it.
func TestAStartFindsWhatAnEarlierReleaseListed(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	status, p := call(t, s, "POST", "/v1/publish", signUp(t, s), map[string]any{"title": "Skyhopper", "content": []byte("<p>hi")})
	expect.Equal(t, "publish", status, http.StatusCreated)
	found := func() bool {
		_, body := open(t, s, strings.Replace(s.URL(), "127.0.0.1", "localhost", 1)+"/?q=hopp")
		results, _, _ := strings.Cut(string(body), `aria-labelledby="others"`) // what is popular stands below
		return strings.Contains(results, p["project_id"].(string))
	}
	testenv.Eventually(t, 20*time.Second, "it is found", found)
	db := otherProcess(t, s)
	for _, query := range []string{"DELETE FROM search_texts", "DELETE FROM search_grams", "UPDATE listing SET unsearched = (SELECT max(num) FROM projects)"} {
		_, err := db.ExecContext(t.Context(), query)
		expect.OK(t, err)
	}
	testenv.Eventually(t, 20*time.Second, "it is not found any more", func() bool { return !found() })
	s.Restart(t)
	testenv.Eventually(t, 20*time.Second, "it is found again", found)
}
