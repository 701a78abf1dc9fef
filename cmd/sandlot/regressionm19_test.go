package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegressionM19TheFirstRecipeCanBeRepeated: the answer to the first call is lost after the project was made, and the recipe is run again as
// llms.txt says.
func TestRegressionM19TheFirstRecipeCanBeRepeated(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "curl", "bash")
	bin := testenv.Binary(t)
	s := testenv.Start(t, bin)
	at, err := url.Parse(s.URL())
	expect.OK(t, err)
	var lost atomic.Bool
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) },
		ModifyResponse: func(*http.Response) error {
			if lost.CompareAndSwap(false, true) {
				panic(http.ErrAbortHandler)
			}
			return nil
		},
	})
	t.Cleanup(proxy.Close)
	_, text := asks(t, s, "GET", "/llms.txt", "localhost")
	first, _, found := strings.Cut(shellBlocks(text), "field()")
	expect.Equal(t, "the first recipe is there", found, true)
	first = regexp.MustCompile(`http://\S+/v1/publish`).ReplaceAllString(first, proxy.URL+"/v1/publish")
	folder := t.TempDir()
	filled(t, folder, first)

	said := recipes(t, folder, first)
	expect.Equal(t, "keys without an answer", fileOf(folder), "")
	retry := regexp.MustCompile(`(?m)^RETRY=[0-9a-f]{32}$`).FindString(said)
	recipes(t, folder, retry+"\n"+first)
	expect.Contains(t, "the keys", fileOf(folder), `"api_key":"sla_`)
	left, err := filepath.Glob(filepath.Join(folder, ".sandlot*.json.*"))
	expect.OK(t, err)
	expect.Equal(t, "temporary files", len(left), 0)
	list, err := exec.CommandContext(t.Context(), bin, "admin", "list", "--data", s.Data()).Output()
	expect.OK(t, err)
	expect.Equal(t, "projects in "+string(list), strings.Count(string(list), "Sky Hopper"), 1)
}
