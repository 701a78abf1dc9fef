package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestANewCertificateReachesTheProxy by the hook of certbot, which has the proxy that runs read it.
func TestANewCertificateReachesTheProxy(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		testenv.Skip(t, "root")
	}
	a, lineage, bin, to := newAuthority(t), t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "tls")
	expect.OK(t, os.Rename(a.chain, filepath.Join(lineage, "fullchain.pem")))
	expect.OK(t, os.Rename(a.key, filepath.Join(lineage, "privkey.pem")))
	// nginx alone runs.
	systemctl := "#!/bin/sh\ncase \"$*\" in '-q is-active nginx') ;; 'reload nginx') touch " + bin + "/reloaded ;; *) exit 3 ;; esac\n"
	expect.OK(t, os.WriteFile(filepath.Join(bin, "systemctl"), []byte(systemctl), 0o700))
	text, err := os.ReadFile("../../deploy/certificate-hook")
	expect.OK(t, err)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", replace(t, string(text), "/etc/sandlot/tls", to))
	cmd.Env = append(os.Environ(), "RENEWED_LINEAGE="+lineage, "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	expect.OK(t, err, string(out))
	for name, from := range map[string]string{"sandlot.crt": "fullchain.pem", "sandlot.key": "privkey.pem"} {
		want, err := os.ReadFile(filepath.Join(lineage, from))
		expect.OK(t, err)
		got, err := os.ReadFile(filepath.Join(to, name))
		expect.OK(t, err)
		expect.Equal(t, name, string(got), string(want))
	}
	info, err := os.Stat(filepath.Join(to, "sandlot.key"))
	expect.OK(t, err)
	expect.Equal(t, "rights to the key", info.Mode().Perm(), 0o640)
	_, err = os.Stat(filepath.Join(bin, "reloaded"))
	expect.OK(t, err, "the proxy is not reloaded")
}
