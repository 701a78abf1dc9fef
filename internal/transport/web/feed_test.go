package web

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestTheFeedIsXMLWhateverATitleHas(t *testing.T) {
	t.Parallel()
	p := house(t)
	resp := request(p, "GET", "/feed.xml", "")
	body := text(t, resp)
	var got feed
	expect.OK(t, xml.Unmarshal([]byte(body), &got))
	expect.Equal(t, "the newest is there", strings.Contains(body, "&lt;script&gt;&#34;pong&#34;"), true)
	again := request(p, "GET", "/feed.xml", "", "If-None-Match", resp.Header.Get("ETag"))
	expect.Equal(t, "the same again is", again.StatusCode, http.StatusNotModified)
	expect.Equal(t, "with the newest from", again.Header.Get("Last-Modified") != "", true)
}

func TestSuggestionsAreEscaped(t *testing.T) {
	t.Parallel()
	p := house(t)
	body := text(t, request(p, "GET", "/search?q=pong", ""))
	if !strings.Contains(body, `data-to="/p/game-abc123"`) || !strings.Contains(body, "&lt;script&gt;") || strings.Contains(body, "<script") {
		t.Error(body)
	}
	expect.Equal(t, "of nothing", text(t, request(p, "GET", "/search?q=", "")), "")
}
