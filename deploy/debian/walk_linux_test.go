package debian

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// Somebody whose address is no example's.
const somebody = "kim@sandlot-tests.org"

var (
	pasted     = regexp.MustCompile("(?ms)^```console\n(.*?)^```")
	projectURL = regexp.MustCompile(`"url":"https://([^/"]+)/`)
)

// TestSoakAnEmptyDebianGoesPublic by the blocks of docs/book/debian.md as they are, but for the e-mail address: in a new Debian with its
// own systemd, with the package, Debian's Caddy and certbot, and an authority, a DNS server and a mail server beside it.
func TestSoakAnEmptyDebianGoesPublic(t *testing.T) {
	testenv.Unraced(t)
	begun := time.Now()
	b := boot(t)
	mail := b.surround(t)
	pack(t, "0.1.0", filepath.Join(b.root, "root/sandlot_amd64.deb"))
	t.Logf("a new Debian took %v", time.Since(begun).Round(time.Second))

	begun = time.Now()
	said := b.walk(t, mail)
	t.Logf("the page took %v", time.Since(begun).Round(time.Second))
	url := projectURL.FindStringSubmatch(said["curl"])
	if url == nil {
		t.Fatal("the project has no URL: " + said["curl"])
	}
	t.Run("it listens for the proxy alone", func(t *testing.T) {
		expect.Equal(t, "its address", strings.Fields(b.paste(t, "ss -Hltn 'sport = :8080'"))[3], "127.0.0.1:8080")
	})
	t.Run("both hosts are served over HTTP/2", func(t *testing.T) {
		for _, host := range []string{"example.com", url[1]} {
			expect.Equal(t, host, b.paste(t, "curl -sS -o /dev/null -w '%{http_version} %{http_code}' https://"+host+"/"), "2 200")
		}
		expect.Contains(t, "the project", b.paste(t, "curl -sS https://"+url[1]+"/"), "<h1>Hello</h1>")
	})
	t.Run("the project is in the gallery", func(t *testing.T) {
		expect.Contains(t, "the gallery", b.paste(t, "curl -sS https://example.com/"), "/p/"+strings.TrimSuffix(url[1], ".example-content.net"))
	})
	t.Run("the publisher is its operator, and can log in", func(t *testing.T) {
		expect.Equal(t, "grant", strings.Count(said["grant"], "\n"), 1)
		expect.Contains(t, "grant", said["grant"], " is operator.\n")
	})
	t.Run("doctor finds nothing to mend", func(t *testing.T) {
		expect.Contains(t, "doctor", said["doctor"], "ok      mail ")
		expect.Contains(t, "doctor", said["doctor"], "ok      proxy ")
	})
	t.Run("the backup has the project", func(t *testing.T) {
		expect.Contains(t, "rehearse", said["rehearse"], "read 1 of 1 project,")
		expect.Contains(t, "rehearse", said["rehearse"], " 0 damaged")
	})
	t.Run("the next day nothing has failed", func(t *testing.T) {
		for _, part := range []string{"0 loaded units", "sandlot-backup.timer", "sandlot-verify.timer", "-- No entries --", "renewals succeeded"} {
			expect.Contains(t, "the last block", said["next day"], part)
		}
	})
	t.Run("it comes again with the machine", func(t *testing.T) {
		expect.Equal(t, "enabled", b.paste(t, "systemctl is-enabled sandlot.service sandlot.socket caddy.service"), "enabled\nenabled\nenabled\n")
	})
	t.Run("an upgrade refuses nobody", b.upgrade)
	t.Run("it keeps data when it is removed", func(t *testing.T) {
		b.paste(t, "apt remove -y sandlot; ! systemctl is-active sandlot.socket; apt purge -y sandlot")
		expect.OK(t, exists(filepath.Join(b.root, "var/lib/sandlot/sandlot.db")))
		left, err := filepath.Glob(filepath.Join(b.root, "var/backups/sandlot/*/sandlot.db"))
		expect.OK(t, err)
		expect.Equal(t, "backups", len(left), 1)
	})
}

// walk pastes the page block by block, presses the button in the mail, and returns the output of some blocks.
func (b booted) walk(t *testing.T, mail *postman) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/book/debian.md")
	expect.OK(t, err)
	said := map[string]string{}
	for _, block := range pasted.FindAllStringSubmatch(string(page), -1) {
		commands := strings.ReplaceAll(block[1], "you@example.com", somebody)
		out := b.paste(t, commands)
		switch {
		case strings.HasPrefix(commands, "apt install ./sandlot"): // the authority is another than the public one
			b.edit(t, "/usr/share/doc/sandlot/examples/Caddyfile", "\n{\n", "\n{\n\tacme_ca https://acme.example:14000/dir\n")
		case strings.Contains(commands, "/v1/publish"):
			said["curl"] = out
			b.confirm(t, mail)
		case strings.Contains(commands, " admin grant "):
			said["grant"] = out
		case strings.Contains(commands, "certbot renew"):
			said["next day"] = out
		}
		for _, name := range []string{"doctor", "rehearse"} {
			if strings.Contains(commands, "sandlot "+name+" ") {
				said[name] = out
			}
		}
	}
	return said
}

// confirm presses the button of the page to which the mail leads.
func (b booted) confirm(t *testing.T, mail *postman) {
	t.Helper()
	testenv.Eventually(t, time.Minute, "a message", func() bool { return mail.confirms(somebody) != "" })
	b.paste(t, "curl -fsS -o /dev/null -H 'Sec-Fetch-Site: same-origin' -d token="+mail.confirms(somebody)+" https://example.com/verify")
}

// upgrade installs a newer package while visitors come, and counts how they fare.
func (b booted) upgrade(t *testing.T) {
	pack(t, "0.1.1~snapshot", filepath.Join(b.root, "root/sandlot_amd64.deb"))
	out := b.paste(t, `before=$(systemctl show -p MainPID sandlot)
visit() { until [ -e upgraded ]; do curl -sS -m 20 -o /dev/null -w '%{http_code}\n' "$1" 2>&1 || true; sleep 0.05; done; }
visit https://example.com/healthz >public & visit http://127.0.0.1:8080/healthz >private &
until [ -s public ] && [ -s private ]; do sleep 0.05; done
apt install ./sandlot_amd64.deb >/dev/null 2>&1
sandlot health >/dev/null
touch upgraded
wait
[ "$before" != "$(systemctl show -p MainPID sandlot)" ]
dpkg-query -W -f '${Version}\n' sandlot
sort -u public private`)
	expect.Equal(t, "version, and the answers", out, "0.1.1~snapshot\n200\n")
}
