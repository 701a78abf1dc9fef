package debian

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A booted is a new Debian that runs in namespaces of its own, with its own systemd and a network that is a loopback device alone.
type booted struct {
	root   string
	leader string // the process id of its systemd
}

// boot installs a Debian from its mirror, and starts it. The page's packages are in its cache, since it reaches no mirror itself. The
// machine ends with its test; all mounts lie in namespaces of their own, and end with them even if the test is killed.
func boot(t *testing.T) booted {
	t.Helper()
	testenv.Need(t, "mmdebstrap", "systemd-nspawn", "nsenter")
	if os.Getuid() != 0 {
		testenv.Skip(t, "root")
	}
	b := booted{root: filepath.Join(t.TempDir(), "debian")}
	run(t, "unshare", "--mount", "mmdebstrap", "--quiet", "--variant=important", "--include=systemd-sysv,ca-certificates,curl,openssl,bind9",
		"--aptopt=APT::Install-Recommends true", "--skip=cleanup/apt",
		`--customize-hook=chroot "$1" apt-get install -y -q --download-only caddy certbot python3-certbot-dns-rfc2136`,
		"bookworm", b.root, "http://deb.debian.org/debian")

	cmd := exec.Command("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--resolv-conf=off",
		"--console=pipe", "--hostname=debian", "--directory="+b.root, "--boot")
	log, err := os.Create(filepath.Join(t.TempDir(), "console"))
	expect.OK(t, err)
	cmd.Stdout, cmd.Stderr = log, log
	expect.OK(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ends does not matter
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // shuts the machine down
		late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		<-ended
		late.Stop()
		log.Close()
	})
	testenv.Eventually(t, time.Minute, "the machine has booted", func() bool {
		select {
		case <-ended:
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("the machine ended: %v\n%s", cmd.ProcessState, said)
		default:
		}
		b.leader = childOf(cmd.Process.Pid)
		return b.leader != "" && b.command("systemctl is-system-running | grep -qx running").Run() == nil
	})
	return b
}

var parent = regexp.MustCompile(`(?m)^PPid:\t(\d+)$`)

// childOf returns the id of the child of a process that is the first in its namespace, or "".
func childOf(pid int) string {
	all, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, path := range all {
		status, _ := os.ReadFile(path) // a process may have ended meanwhile
		found := parent.FindSubmatch(status)
		if found != nil && string(found[1]) == strconv.Itoa(pid) && regexp.MustCompile(`(?m)^NSpid:.*\t1$`).Match(status) {
			return filepath.Base(filepath.Dir(path))
		}
	}
	return ""
}

// command returns a command of a root's shell on the machine. It ends at the first that fails.
func (b booted) command(script string) *exec.Cmd {
	cmd := exec.Command("nsenter", "--target", b.leader, "--all", "--", "bash", "-euo", "pipefail", "-c", "cd; "+script)
	cmd.Env = []string{"HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"}
	return cmd
}

// paste runs commands in a root's shell, and returns what they print.
func (b booted) paste(t *testing.T, script string) string {
	t.Helper()
	out, err := b.command(script).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\nprints:\n%s", err, script, out)
	}
	return string(out)
}

// write writes a file of the machine, and its folder.
func (b booted) write(t *testing.T, path, text string) {
	t.Helper()
	path = filepath.Join(b.root, path)
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(t, os.WriteFile(path, []byte(text), 0o644))
}

// edit replaces a text, which must be there, in a file of the machine.
func (b booted) edit(t *testing.T, path, from, to string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.root, path))
	expect.OK(t, err)
	expect.Contains(t, path, string(text), from)
	b.write(t, path, strings.Replace(string(text), from, to, 1))
}

func run(t *testing.T, program string, args ...string) {
	t.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}
