package deploy

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A kind is a proxy that deploy/ has files for.
type kind struct {
	program, file string
	// fill returns the file with the addresses, ports and paths of the test.
	fill func(t *testing.T, f *front, text string) string
	// command returns how it is started with the file.
	command func(t *testing.T, f *front, file string) []string
}

func kinds() []kind {
	return []kind{
		{"caddy", "Caddyfile", fillCaddy, runCaddy},
		{"nginx", "nginx.conf", fillNginx, runNginx},
		{"haproxy", "haproxy.cfg", fillHAProxy, runHAProxy},
	}
}

// A front is a running proxy. It ends with its test.
type front struct {
	authority
	dir        string
	tls, plain string   // where it listens: HOST:PORT
	nodes      []string // addresses to which it leads
	healthPort string   // of nodes
	env        []string
	client     *http.Client
}

// start runs a proxy with its file in a folder of deploy/, in front of an instance or of nodes. All nodes have one port, and one for their
// health.
func start(t *testing.T, k kind, folder, healthPort string, nodes ...string) *front {
	t.Helper()
	f := &front{authority: newAuthority(t), dir: t.TempDir(), nodes: nodes, healthPort: healthPort}
	f.tls, f.plain = testenv.Port(t), testenv.Port(t)
	text, err := os.ReadFile(filepath.Join("../../deploy", folder, k.file))
	expect.OK(t, err)
	file := filepath.Join(f.dir, k.file)
	expect.OK(t, os.WriteFile(file, []byte(k.fill(t, f, string(text))), 0o600))
	f.run(t, k.command(t, f, file))
	f.client = f.clientOf(t)
	return f
}

// run runs a program until the test ends, and returns when it listens.
func (f *front) run(t *testing.T, command []string) {
	t.Helper()
	log, err := os.Create(filepath.Join(f.dir, "log"))
	expect.OK(t, err)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = f.dir, log, log
	cmd.Env = append(os.Environ(), f.env...)
	expect.OK(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ends does not matter
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // nginx takes its workers with it
		late := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		<-ended
		late.Stop()
		log.Close()
		if said, _ := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("the log of %s ends:\n%s", command[0], said[max(0, len(said)-4000):])
		}
	})
	testenv.Eventually(t, 30*time.Second, command[0]+" that listens", func() bool {
		select {
		case <-ended:
			t.Fatalf("%s ended: %v", command[0], cmd.ProcessState)
		default:
		}
		c, err := net.Dial("tcp", f.tls)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// clientOf returns a client whose every connection goes to the proxy, whatever host the URL names. It speaks HTTP/2, and
// follows no redirect.
func (f *front) clientOf(t *testing.T) *http.Client {
	var d net.Dialer
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if strings.HasSuffix(addr, ":80") {
				return d.DialContext(ctx, network, f.plain)
			}
			return d.DialContext(ctx, network, f.tls)
		},
		TLSClientConfig: &tls.Config{RootCAs: f.pool}, ForceAttemptHTTP2: true, DisableCompression: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// installed returns the path of a program, which Debian may keep outside of the PATH of those who are not root.
func installed(t *testing.T, program string) string {
	t.Helper()
	if path := filepath.Join("/usr/sbin", program); exec.Command(path, "-v").Run() == nil {
		return path
	}
	testenv.Need(t, program)
	return program
}

// replace replaces pairs of texts, each of which must be in the file.
func replace(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Errorf("the file has no %q", pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// nodesOf returns the pairs for the addresses of the nodes.
func (f *front) nodesOf() (pairs []string) {
	if len(f.nodes) == 1 {
		return []string{"127.0.0.1:8080", f.nodes[0]}
	}
	for i, at := range []string{"10.0.0.11:8080", "10.0.0.12:8080", "10.0.0.13:8080"} {
		pairs = append(pairs, at, f.nodes[i])
	}
	return pairs
}

func port(addr string) string { return addr[strings.LastIndexByte(addr, ':')+1:] }

func fillCaddy(t *testing.T, f *front, text string) string {
	listen := "\tdefault_bind 127.0.0.1\n\thttp_port " + port(f.plain) + "\n\thttps_port " + port(f.tls) + "\n"
	if !strings.Contains(text, "\tadmin off\n") {
		listen += "\tadmin " + testenv.Port(t) + "\n"
	}
	text = strings.Replace(text, "\n{\n", "\n{\n"+listen, 1) // the first bracket opens the settings of the whole
	f.env = []string{"HOME=" + f.dir, "XDG_DATA_HOME=" + f.dir, "XDG_CONFIG_HOME=" + f.dir}
	if len(f.nodes) == 1 {
		return replace(t, text, append(f.nodesOf(), "/etc/sandlot/tls/sandlot.crt", f.chain, "/etc/sandlot/tls/sandlot.key", f.key)...)
	}
	f.env = append(f.env, "BASE_HOST="+website, "CONTENT_HOST="+contentHost, "NODES="+strings.Join(f.nodes, " "), "HEALTH_PORT="+f.healthPort,
		"CERTIFICATE="+f.chain, "KEY="+f.key)
	return replace(t, text, "http://127.0.0.1:2020", "http://"+testenv.Port(t))
}

func runCaddy(t *testing.T, _ *front, file string) []string {
	return []string{installed(t, "caddy"), "run", "--adapter", "caddyfile", "--config", file}
}

func fillNginx(t *testing.T, f *front, text string) string {
	for _, listen := range []string{"80;", "443 ssl http2 default_server;", "443 ssl http2;"} {
		text = replace(t, text, "\tlisten [::]:"+listen+"\n", "")
	}
	return replace(t, text, append(f.nodesOf(), "listen 80;", "listen "+f.plain+";", "listen 443 ", "listen "+f.tls+" ",
		"/etc/sandlot/tls/sandlot.crt", f.chain, "/etc/sandlot/tls/sandlot.key", f.key)...)
}

// runNginx includes the file in what Debian's nginx.conf is without paths of the machine.
func runNginx(t *testing.T, f *front, file string) []string {
	whole := filepath.Join(f.dir, "whole.conf")
	var temps strings.Builder
	for _, each := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temps.WriteString(each + "_temp_path " + filepath.Join(f.dir, each) + ";\n")
	}
	text := "worker_processes 2;\npid " + f.dir + "/pid;\nevents { worker_connections 768; }\n" +
		"http {\nsendfile on;\ntcp_nopush on;\ngzip on;\n" + temps.String() + "include " + file + ";\n}\n"
	expect.OK(t, os.WriteFile(whole, []byte(text), 0o600))
	return []string{installed(t, "nginx"), "-p", f.dir, "-c", whole, "-e", filepath.Join(f.dir, "log"), "-g", "daemon off;"}
}

func fillHAProxy(t *testing.T, f *front, text string) string {
	if os.Getuid() != 0 { // nobody else can become another user
		text = replace(t, text, "\tuser haproxy\n\tgroup haproxy\n\tchroot /var/lib/haproxy\n", "")
	}
	if len(f.nodes) > 1 {
		text = replace(t, text, "check port 9090", "check port "+f.healthPort)
	}
	return replace(t, text, append(f.nodesOf(), "bind :::80 v4v6", "bind "+f.plain, "bind :::443 v4v6", "bind "+f.tls,
		"/etc/sandlot/tls/sandlot.crt", f.chain, "127.0.0.1:8081", testenv.Port(t))...)
}

func runHAProxy(t *testing.T, _ *front, file string) []string {
	return []string{installed(t, "haproxy"), "-db", "-f", file}
}
