package runtime

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestOneNetworkCannotFillAProject: beyond a school class new players of a network are refused, and another network plays on.
func TestOneNetworkCannotFillAProject(t *testing.T) {
	t.Parallel()
	s := start(t, "--base-url", "https://sandlot.example.org", "--content-host", "games.example.net", "--limits", "normal",
		"--trusted-proxies", "127.0.0.1")
	p := s.blank(t)
	p.url = strings.Replace(p.url, "https:", "http:", 1) // TLS ends before the program
	kept, refused := 0, 0
	for i := range 160 {
		who := p.player(fmt.Sprint("crowd", i))
		who.from = "203.0.113.9"
		switch got := who.does(t, "PUT", "saves/main", "1"); got.status {
		case http.StatusOK:
			kept++
		case http.StatusTooManyRequests:
			got.refused(t, "one more player", http.StatusTooManyRequests, "rate_limited")
			refused++
		default:
			t.Fatalf("player %d: %d %s", i, got.status, got.body)
		}
	}
	if kept < 30 || kept > 120 || refused == 0 {
		t.Errorf("of 160 players of one network %d are kept, and %d refused", kept, refused)
	}
	other := p.player("elsewhere")
	other.from = "198.51.100.7"
	if got := other.does(t, "PUT", "saves/main", "1"); got.status != http.StatusOK {
		t.Errorf("another network: %d %s", got.status, got.body)
	}
}
