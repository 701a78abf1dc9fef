// Package debian tests the Debian package: it is made from the built program by nfpm, with the description that releases have, and
// installed into a folder.
package debian

import (
	"debug/buildinfo"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v3"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A machine is a folder with a Debian in it that has this package alone.
type machine struct{ root, deb string }

var units = []string{
	"sandlot.service", "sandlot.socket", "sandlot-backup.service", "sandlot-backup.timer", "sandlot-verify.service", "sandlot-verify.timer",
}

func TestThePackage(t *testing.T) {
	testenv.Need(t, "dpkg", "systemd-analyze", "systemd-sysusers", "systemd-tmpfiles")
	if os.Getuid() != 0 {
		testenv.Skip(t, "root")
	}
	m := newMachine(t)
	said := m.dpkg(t, "-i", m.deb)
	user := m.user(t)

	t.Run("says that it is not started, and the two lines that start it", func(t *testing.T) {
		if !strings.Contains(said, "not started yet. Two lines, as root:\n    sed -i ") || !strings.Contains(said, "\n    systemctl enable --now sandlot\n") {
			t.Error(said)
		}
		enabled, err := filepath.Glob(m.path("/etc/systemd/system/*.wants/*"))
		expect.OK(t, err)
		expect.Equal(t, "units that start with the machine", len(enabled), 0)
	})
	t.Run("keeps settings, secrets and data from others", func(t *testing.T) {
		for _, c := range []struct {
			path  string
			mode  os.FileMode
			owner [2]string
		}{
			{"/etc/sandlot/sandlot.yaml", 0o640, [2]string{"0", user[1]}},
			{"/etc/sandlot/secrets", 0o700 | os.ModeDir, [2]string{"0", "0"}},
			{"/var/lib/sandlot", 0o700 | os.ModeDir, user},
			{"/var/backups/sandlot", 0o700 | os.ModeDir, user},
		} {
			info, err := os.Stat(m.path(c.path))
			expect.OK(t, err)
			expect.Equal(t, "mode of "+c.path, info.Mode(), c.mode)
			at := info.Sys().(*syscall.Stat_t)
			expect.Equal(t, "owner of "+c.path, [2]string{fmt.Sprint(at.Uid), fmt.Sprint(at.Gid)}, c.owner)
		}
	})
	t.Run("has the licence of each module of the program, and completions", func(t *testing.T) {
		text, err := os.ReadFile(m.path("/usr/share/doc/sandlot/THIRD-PARTY-LICENSES"))
		expect.OK(t, err)
		program, err := buildinfo.ReadFile(m.path("/usr/bin/sandlot"))
		expect.OK(t, err)
		for _, dep := range program.Deps {
			expect.Contains(t, "the licences", string(text), "\n==== "+dep.Path+"@")
		}
		expect.OK(t, exists(m.path("/usr/share/bash-completion/completions/sandlot"), m.path("/usr/share/zsh/vendor-completions/_sandlot"),
			m.path("/usr/share/fish/vendor_completions.d/sandlot.fish")))
	})
	t.Run("has units that systemd reads without a complaint", func(t *testing.T) {
		dropin := m.path("/run/units/sandlot.service.d/playtest.conf")
		expect.OK(t, os.MkdirAll(filepath.Dir(dropin), 0o755))
		example, err := os.ReadFile(m.path("/usr/share/doc/sandlot/examples/playtest.conf"))
		expect.OK(t, err)
		expect.OK(t, os.WriteFile(dropin, example, 0o644))
		args := []string{"verify", "--man=no"}
		for _, u := range units {
			args = append(args, m.unit(t, u))
		}
		out, err := exec.Command("systemd-analyze", args...).CombinedOutput()
		expect.OK(t, err)
		expect.Equal(t, "complaints", string(out), "")
		expect.OK(t, os.RemoveAll(filepath.Dir(dropin)))
	})
	t.Run("has services whose exposure is 2.0 at most", func(t *testing.T) {
		for _, u := range []string{"sandlot.service", "sandlot-backup.service", "sandlot-verify.service"} {
			out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", m.unit(t, u)).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", u, err, out)
			}
		}
	})
	t.Run("serves once its base-url is set", func(t *testing.T) { m.serves(t, said) })
	t.Run("backs up, and keeps the newest seven", func(t *testing.T) { m.backsUp(t) })
	t.Run("keeps data and settings when it is removed, and data when it is purged", func(t *testing.T) {
		m.dpkg(t, "-r", "sandlot")
		expect.OK(t, exists(m.path("/var/lib/sandlot/sandlot.db"), m.path("/etc/sandlot/sandlot.yaml")))
		said := m.dpkg(t, "-P", "sandlot")
		expect.OK(t, exists(m.path("/var/lib/sandlot/sandlot.db")))
		if exists(m.path("/etc/sandlot/sandlot.yaml")) == nil || !strings.Contains(said, "still in /var/lib/sandlot") {
			t.Error("the settings are still there, or the data are not named: " + said)
		}
	})
}

// serves follows the two lines of the package, and plays systemd for its units.
func (m machine) serves(t *testing.T, said string) {
	service := m.lines(t, "sandlot.service")
	expect.Equal(t, "type", service["Type"], "notify")
	env := []string{
		"SANDLOT_CONFIG=" + m.path(strings.TrimPrefix(service["Environment"], "SANDLOT_CONFIG=")),
		"SANDLOT_DATA=" + m.path("/var/lib/sandlot"), "CREDENTIALS_DIRECTORY=" + t.TempDir(),
	}
	secret := filepath.Join(strings.TrimPrefix(env[2], "CREDENTIALS_DIRECTORY="), "sandlot_smtp-url")
	expect.OK(t, os.WriteFile(secret, []byte("smtp://127.0.0.1:1\n"), 0o600))
	condition := func() (string, error) {
		_, script, _ := strings.Cut(service["ExecCondition"], "-c ")
		script = strings.ReplaceAll(strings.Trim(script, "'"), "$$", "$")
		cmd := exec.Command("/bin/sh", "-c", m.inside(script))
		// systemd names the folder of credentials to a condition, but opens it for the service alone: a file can no more be opened as one.
		cmd.Env = append(slices.Clone(env), "CREDENTIALS_DIRECTORY="+secret)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := condition()
	if err == nil || !strings.Contains(out, "base-url is not set: ") {
		t.Fatalf("without a base-url the condition is %v: %s", err, out)
	}

	_, line, _ := strings.Cut(said, "as root:\n")
	line, _, _ = strings.Cut(strings.TrimSpace(line), "    #")
	setting := exec.Command("/bin/sh", "-c", strings.Replace(line, "/etc/sandlot", m.path("/etc/sandlot"), 1))
	expect.OK(t, setting.Run())
	out, err = condition()
	expect.OK(t, err)
	expect.Equal(t, "what the condition says", out, "https://example.com\n")

	socket := m.lines(t, "sandlot.socket")
	host, _, _ := strings.Cut(socket["ListenStream"], ":")
	expect.Equal(t, "host of the socket", host, "127.0.0.1")
	s := testenv.Supervise(t, testenv.Unit{
		ExecStart: strings.Fields(m.inside(service["ExecStart"])), Env: env,
		Sockets: map[string]string{socket["FileDescriptorName"]: "127.0.0.1:0"},
	})
	s.Start(t)
	address := "http://" + s.Addr(socket["FileDescriptorName"])
	resp, err := http.Get(address + "/v1")
	expect.OK(t, err)
	resp.Body.Close()
	if resp.Header.Get("Sandlot-Version") == "" {
		t.Error("an answer lacks the version")
	}
	expect.OK(t, exec.Command(m.path("/usr/bin/sandlot"), "health", "--url", address).Run())
	s.Restart(t)
	expect.Equal(t, "exit code", s.Stop(t), 0)
	if strings.Contains(s.Logs(), "smtp-url is not set") {
		t.Error("the credential was not read: " + s.Logs())
	}
	info, err := os.Stat(m.path("/var/lib/sandlot/sandlot.db"))
	expect.OK(t, err)
	expect.Equal(t, "mode of the database", info.Mode(), 0o600)
}

// backsUp runs the program of the backup's unit nine times.
func (m machine) backsUp(t *testing.T) {
	folder := t.TempDir()
	for day := range 9 {
		expect.OK(t, os.Mkdir(fmt.Sprintf("%s/2026-01-%02dT030000Z", folder, day+1), 0o700))
	}
	expect.OK(t, os.Mkdir(folder+"/mine", 0o700))
	cmd := exec.Command(m.inside(m.lines(t, "sandlot-backup.service")["ExecStart"]))
	cmd.Env = []string{"PATH=" + m.path("/usr/bin") + ":/usr/bin:/bin", "SANDLOT_DATA=" + m.path("/var/lib/sandlot"), "BACKUPS=" + folder}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	left, err := os.ReadDir(folder)
	expect.OK(t, err)
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	expect.Equal(t, "folders", len(names), 8)
	expect.Equal(t, "the oldest that is kept", names[0], "2026-01-04T030000Z")
	expect.Equal(t, "a folder of another name", names[7], "mine")
	expect.OK(t, exists(filepath.Join(folder, names[6], "sandlot.db")))
}

// newMachine makes the package, and an empty folder to install it into.
func newMachine(t *testing.T) machine {
	m := machine{root: t.TempDir(), deb: filepath.Join(t.TempDir(), "sandlot.deb")}
	for _, folder := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/backups", "etc"} {
		expect.OK(t, os.MkdirAll(filepath.Join(m.root, folder), 0o755))
	}
	expect.OK(t, os.WriteFile(filepath.Join(m.root, "var/lib/dpkg/status"), nil, 0o644))
	pack(t, "0.1.0", m.deb)
	return m
}

// pack makes the package of that version.
func pack(t *testing.T, version, deb string) {
	t.Helper()
	description := filepath.Join(t.TempDir(), "nfpm.yaml")
	text, err := yaml.Marshal(describe(t, version))
	expect.OK(t, err)
	expect.OK(t, os.WriteFile(description, text, 0o600))
	out, err := exec.Command(nfpm(t), "package", "-f", description, "-t", deb).CombinedOutput()
	if err != nil {
		t.Fatalf("nfpm: %v\n%s", err, out)
	}
}

// describe returns the description of the package for nfpm alone: that of .goreleaser.yaml, with the built program.
func describe(t *testing.T, version string) map[string]any {
	var release struct{ Nfpms []map[string]any }
	text, err := os.ReadFile("../../.goreleaser.yaml")
	expect.OK(t, err)
	expect.OK(t, yaml.Unmarshal(text, &release))
	made := t.TempDir()
	if out, err := exec.Command(noted(t, "../../scripts/release"), "--files", testenv.Binary(t), made).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	root, err := filepath.Abs("../..")
	expect.OK(t, err)
	at := func(src any) string {
		if name, ok := strings.CutPrefix(src.(string), "release/"); ok {
			return filepath.Join(made, name)
		}
		return noted(t, filepath.Join(root, src.(string)))
	}
	d := maps.Clone(release.Nfpms[0])
	contents := d["contents"].([]any)
	for _, c := range contents {
		if file := c.(map[string]any); file["src"] != nil {
			file["src"] = at(file["src"])
		}
	}
	scripts := d["scripts"].(map[string]any)
	for name, src := range scripts {
		scripts[name] = at(src)
	}
	program := map[string]any{"src": testenv.Binary(t), "dst": "/usr/bin/sandlot", "file_info": map[string]any{"mode": 0o755}}
	maps.Copy(d, map[string]any{
		"name": "sandlot", "version": version, "arch": "all", "contents": append(contents, program), "depends": d["dependencies"],
		"deb": map[string]any{"compression": "none"},
	})
	for _, name := range []string{"mtime", "bindir", "dependencies", "formats", "file_name_template"} { // GoReleaser's own
		delete(d, name)
	}
	return d
}

// noted reads a file that another program reads for the test, so that Go runs the test again when it has changed.
func noted(t *testing.T, path string) string {
	t.Helper()
	_, err := os.ReadFile(path)
	expect.OK(t, err)
	return path
}

// nfpm builds the version that releases use, of which Go caches all but the linking.
func nfpm(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "nfpm")
	cmd := exec.Command("go", "build", "-C", "../../tools/release", "-trimpath", "-buildvcs=false", "-o", path, "github.com/goreleaser/nfpm/v2/cmd/nfpm")
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "dial tcp") || strings.Contains(string(out), "module lookup disabled") {
			testenv.Skip(t, "nfpm")
		}
		t.Fatalf("build nfpm: %v\n%s", err, out)
	}
	return path
}

// dpkg runs dpkg on the machine, whose scripts find its folder in DPKG_ROOT.
func (m machine) dpkg(t *testing.T, args ...string) string {
	t.Helper()
	args = append([]string{"--root=" + m.root, "--force-script-chrootless", "--force-depends", "--no-triggers"}, args...)
	out, err := exec.Command("dpkg", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("dpkg %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (m machine) path(of string) string { return filepath.Join(m.root, of) }

// inside returns a command line with the programs of the machine.
func (m machine) inside(command string) string {
	return strings.NewReplacer("/usr/bin/", m.path("/usr/bin")+"/", "/usr/lib/", m.path("/usr/lib")+"/").Replace(command)
}

// lines returns the lines of a unit. Of lines with the same name the last counts.
func (m machine) lines(t *testing.T, unit string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(m.path("/usr/lib/systemd/system/" + unit))
	expect.OK(t, err)
	lines := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			lines[name] = value
		}
	}
	return lines
}

// unit returns the path of a copy of a unit that names the programs of the machine: systemd-analyze looks for them.
func (m machine) unit(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(m.path("/usr/lib/systemd/system/" + name))
	expect.OK(t, err)
	folder := m.path("/run/units")
	expect.OK(t, os.MkdirAll(folder, 0o755))
	copied := filepath.Join(folder, name)
	expect.OK(t, os.WriteFile(copied, []byte(m.inside(string(text))), 0o644))
	return copied
}

// user returns the ids of the user whom the package has made.
func (m machine) user(t *testing.T) [2]string {
	text, err := os.ReadFile(m.path("/etc/passwd"))
	expect.OK(t, err)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(line, ":"); fields[0] == "sandlot" {
			return [2]string{fields[2], fields[3]}
		}
	}
	t.Fatalf("there is no user: %s", text)
	return [2]string{}
}

// exists returns an error unless there are all of these files.
func exists(paths ...string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return err
		}
	}
	return nil
}
