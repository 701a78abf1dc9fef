package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// examined runs the doctor, and returns what it prints and its exit code.
func examined(t *testing.T, args ...string) (out string, exit int) {
	t.Helper()
	cmd := exec.Command(testenv.Binary(t), append([]string{"doctor"}, args...)...)
	said, _ := cmd.CombinedOutput()
	return string(said), cmd.ProcessState.ExitCode()
}

// nginx starts one in front of a server until the test ends, and returns its address.
func nginx(t *testing.T, to, ofServer, ofLocation string) (addr string) {
	t.Helper()
	testenv.Need(t, "nginx")
	dir, addr := t.TempDir(), testenv.Port(t)
	var folders strings.Builder
	for _, name := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&folders, "%s_temp_path %s;\n", name, filepath.Join(dir, name))
	}
	conf := filepath.Join(dir, "nginx.conf")
	expect.OK(t, os.WriteFile(conf, fmt.Appendf(nil, `daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/log;
events {}
http { access_log off; %[2]s proxy_headers_hash_bucket_size 128;
server { listen %[3]s; %[4]s location / { proxy_pass http://%[5]s; %[6]s } } }`, dir, folders.String(), addr, ofServer, to, ofLocation), 0o600))
	cmd := exec.Command("nginx", "-p", dir, "-e", filepath.Join(dir, "log"), "-c", conf)
	expect.OK(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	testenv.Eventually(t, 10*time.Second, "nginx", func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return addr
}

func TestTheDoctorFindsWhatAProxyDoesWrong(t *testing.T) {
	t.Parallel()
	const (
		host  = "proxy_set_header Host $host; "
		from  = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; "
		flows = "proxy_request_buffering off; "
		any   = "client_max_body_size 0;"
	)
	s := testenv.Start(t, testenv.Binary(t), "--trusted-proxies", "127.0.0.1")
	stranger := testenv.Start(t, testenv.Binary(t))
	for _, s := range []*testenv.Server{s, stranger} {
		expect.OK(t, os.Chmod(s.Data(), 0o700))
	}
	for name, tc := range map[string]struct {
		server            *testenv.Server
		ofServer, ofProxy string
		says, mend        string
		exit              int
	}{
		"nothing": {s, any, host + from + flows, "ok      proxy    the visitor's address arrives through the proxy 127.0.0.1", "", 0},
		"Host is not passed on": {
			s, any, from + flows, `MEND    proxy    the proxy sends Host "` + s.Addr() + `" on for localhost`, "proxy_set_header Host $host", 1,
		},
		"the visitor writes the address": {
			s, any, host + flows, "MEND    proxy    the proxy 127.0.0.1 passes X-Forwarded-For on as the visitor wrote it", "$proxy_add_x_forwarded_for", 1,
		},
		"no address": {
			s, any, host + flows + `proxy_set_header X-Forwarded-For "";`, "MEND    proxy    the proxy 127.0.0.1 hides the visitor's address", "$proxy_add_x_forwarded_for", 1,
		},
		"answers are buffered": {
			s, any, host + from + flows + "proxy_ignore_headers X-Accel-Buffering;", "MEND    proxy    the proxy buffers answers", "proxy_buffering off", 1,
		},
		"a limit of 1 MB": {s, "", host + from + flows, "MEND    proxy    the proxy refuses bodies of 100 MB (413)", "client_max_body_size 0;", 1},
		"nobody named it": {
			stranger, any, host + from + flows, "MEND    proxy    the service does not believe the proxy 127.0.0.1", "--trusted-proxies 127.0.0.1", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, port, err := net.SplitHostPort(nginx(t, tc.server.Addr(), tc.ofServer, tc.ofProxy))
			expect.OK(t, err)
			out, exit := examined(t, "--data", tc.server.Data(), "--base-url", "http://localhost:"+port)
			expect.Equal(t, "exit code", exit, tc.exit)
			expect.Contains(t, "the report", out, tc.says)
			expect.Contains(t, "the report", out, tc.mend)
			expect.Equal(t, "lines that say what to mend\n"+out, strings.Count(out, "MEND"), map[bool]int{true: 2, false: tc.exit}[name == "Host is not passed on"])
		})
	}
	t.Run("bodies are kept until they are whole", func(t *testing.T) {
		t.Parallel()
		_, port, err := net.SplitHostPort(nginx(t, s.Addr(), any, host+from))
		expect.OK(t, err)
		out, exit := examined(t, "--data", s.Data(), "--base-url", "http://localhost:"+port)
		expect.Contains(t, "a warning, which is no fault", out, "warn    proxy    the proxy keeps a body until it is whole")
		expect.Equal(t, "exit code", exit, 0)
	})
}

func TestTheDoctorOfAServiceThatIsAway(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	_, port, err := net.SplitHostPort(s.Addr())
	expect.OK(t, err)
	s.Kill(t)
	out, exit := examined(t, "--data", s.Data(), "--base-url", "http://localhost:"+port)
	expect.Equal(t, "exit code", exit, 1)
	expect.Contains(t, "the report", out, "nothing answers there: connect: connection refused. Mend: ")
	none := t.TempDir()
	out, exit = examined(t, "--data", none, "--json")
	expect.Equal(t, "exit code without a database", exit, 1)
	var all struct {
		OK     bool `json:"ok"`
		Checks []struct{ Check, State, Detail, Mend string }
	}
	expect.OK(t, json.NewDecoder(strings.NewReader(out)).Decode(&all), out)
	expect.Equal(t, "ok", all.OK, false)
	expect.Equal(t, "checks", len(all.Checks) > 5, true)
	expect.Contains(t, "the report", out, "is not a Sandlot data folder")
	out, exit = examined(t, "--data", none, "--base-url", "ftp://x")
	expect.Equal(t, "exit code of a wrong setting", exit, 2)
	expect.Contains(t, "the report", out, "--base-url")
}

// TestTheDoctorOfACertificateThatHasEnded reports it, and goes on with all other checks.
func TestTheDoctorOfACertificateThatHasEnded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certificate, key := certificateFiles(time.Now().Add(-time.Hour), "localhost", "*.localhost")
	expect.OK(t, os.WriteFile(filepath.Join(dir, "c.pem"), []byte(certificate), 0o600))
	expect.OK(t, os.WriteFile(filepath.Join(dir, "k.pem"), []byte(key), 0o600))
	out, exit := examined(t, "--data", dir, "--base-url=https://localhost", "--listen=127.0.0.1:0", "--http-listen=none", "--tls=files",
		"--tls-cert="+filepath.Join(dir, "c.pem"), "--tls-key="+filepath.Join(dir, "k.pem"))
	expect.Equal(t, "exit code", exit, 1)
	expect.Contains(t, "the report", out, "MEND    settings --tls-cert: "+filepath.Join(dir, "c.pem")+" ended on ")
	expect.Contains(t, "the report", out, ". Mend: Renew the files")
	for _, check := range []string{"database", "names", "mail", "disk", "folder", "suffix"} {
		expect.Contains(t, "the report", out, " "+check+" ")
	}
}

// lockedMail is a mail server with one user, whose messages it counts.
type lockedMail struct{ taken []string }

func (m *lockedMail) NewSession(*smtp.Conn) (smtp.Session, error) {
	return &lockedSession{m}, nil
}

type lockedSession struct{ m *lockedMail }

func (*lockedSession) Reset()        {}
func (*lockedSession) Logout() error { return nil }

func (*lockedSession) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

func (*lockedSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (*lockedSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "arcade" || password != "right" {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (s *lockedSession) Mail(string, *smtp.MailOptions) error { return nil }

func (s *lockedSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.m.taken = append(s.m.taken, to)
	return nil
}

func TestTheDoctorLogsInToTheMailServer(t *testing.T) {
	t.Parallel()
	m := &lockedMail{}
	server := smtp.NewServer(m)
	server.AllowInsecureAuth = true
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	data := t.TempDir()
	at := l.Addr().String()
	out, _ := examined(t, "--data", data, "--smtp-url", "smtp://arcade:wrong@"+at)
	expect.Contains(t, "the report", out, "MEND    mail     ")
	expect.Contains(t, "the report", out, "code 535")
	expect.Equal(t, "shows the password", strings.Contains(out, "wrong@"), false)
	out, _ = examined(t, "--data", data, "--smtp-url", "smtp://arcade:right@"+at)
	expect.Contains(t, "the report", out, "ok      mail     the mail server smtp://********@"+at+" takes the login")
	expect.Equal(t, "messages", len(m.taken), 0)
	out, _ = examined(t, "--data", data, "--smtp-url", "smtp://arcade:right@"+at, "--mail-to", "me@example.com")
	expect.Contains(t, "the report", out, "takes the login and a message to me@example.com")
	expect.Same(t, "messages", m.taken, []string{"me@example.com"})
	out, exit := examined(t, "--data", data, "--mail-to", "nobody")
	expect.Equal(t, "exit code of no address", exit, 2)
	expect.Contains(t, "the report", out, `--mail-to "nobody" is not an email address`)
}

func TestTheDoctorLooksAtSharedStores(t *testing.T) {
	t.Parallel()
	set := fullSet(t)
	s := testenv.Start(t, testenv.Binary(t), set...)
	_, port, err := net.SplitHostPort(s.Addr())
	expect.OK(t, err)
	base := append([]string{"--data", s.Data(), "--base-url", "http://localhost:" + port}, set...)
	out, exit := examined(t, base...)
	expect.Equal(t, "exit code\n"+out, exit, 0)
	for _, part := range []string{
		"ok      database ", "ok      bucket   the bucket takes, gives and deletes an object", "ok      redis    Redis answers",
		"ok      clock    the clock of the database is ",
	} {
		expect.Contains(t, "the report", out, part)
	}
	if found, exit := examined(t, append(base, "--redis-url", "redis://127.0.0.1:1")...); exit != 1 || !strings.Contains(found, "MEND    redis    ") {
		t.Errorf("without Redis the exit code is %d:\n%s", exit, found)
	}
	cmd := exec.Command(testenv.Binary(t), append([]string{"doctor"}, base...)...)
	cmd.Env = append(os.Environ(), "AWS_SECRET_ACCESS_KEY=wrong")
	if found, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(found), "MEND    bucket   ") {
		t.Errorf("with a wrong key: %v\n%s", err, found)
	}
}
