package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSoakTheDoctorFindsNoFaultBehindEachProxy with the files of deploy/one, apart from the names: localhost and those under it lead to this
// machine.
func TestSoakTheDoctorFindsNoFaultBehindEachProxy(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.program, func(t *testing.T) {
			t.Parallel()
			at := testenv.Port(t)
			f := &front{dir: t.TempDir(), nodes: []string{at}, tls: testenv.Port(t), plain: testenv.Port(t)}
			f.authority = newAuthorityFor(t, time.Now().Add(time.Hour), "localhost", "*.projects.localhost")
			settings := []string{
				"--listen", at, "--base-url", "https://localhost:" + port(f.tls), "--content-host", "projects.localhost:" + port(f.tls),
				"--trusted-proxies", "127.0.0.1", "--disk-limit", "100", "--data", t.TempDir(),
			}
			expect.OK(t, os.Chmod(settings[len(settings)-1], 0o700))
			testenv.Start(t, testenv.Binary(t), settings...)
			text, err := os.ReadFile(filepath.Join("../../deploy/one", k.file))
			expect.OK(t, err)
			file := filepath.Join(f.dir, k.file)
			local := replace(t, string(text), website, "localhost", contentHost, "projects.localhost")
			expect.OK(t, os.WriteFile(file, []byte(k.fill(t, f, local)), 0o600))
			f.run(t, k.command(t, f, file))

			cmd := exec.CommandContext(t.Context(), testenv.Binary(t), append([]string{"doctor"}, settings...)...)
			cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+f.root)
			out, err := cmd.CombinedOutput()
			expect.OK(t, err, string(out))
			for _, line := range []string{
				"ok      names    the base host, localhost, leads here at", "ok      names    a name under the content host (projects.localhost)",
				"ok      tls      the certificate of localhost at", "ok      proxy    the visitor's address arrives through the proxy 127.0.0.1",
			} {
				expect.Contains(t, "the report", string(out), line)
			}
			expect.Equal(t, "warnings of the proxy\n"+string(out), strings.Count(string(out), "warn    proxy"), 0)
		})
	}
}
