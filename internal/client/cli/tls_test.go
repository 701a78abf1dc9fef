package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestACertificateThatIsNotTrustedIsSaidAtOnce(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	plain := answers(t, http.NotFound)
	for address, says := range map[string]string{
		server.URL: "certificate", strings.Replace(plain, "http:", "https:", 1): "HTTP response to HTTPS client",
	} {
		d := newDesk(t, nil)
		err := (&statusCommand{target: target{host{Server: address}, "a-1"}}).Run(t.Context(), d.Env)
		if code, _ := ExitCode(err); code != exitServer || !strings.Contains(err.Error(), says) || len(d.waited) > 0 {
			t.Errorf("exit %d after %d waits: %v", code, len(d.waited), err)
		}
	}
}
