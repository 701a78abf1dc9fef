package main

import (
	"errors"
	"flag"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// beside is how many tests run beside each other. It is more than there are cores, for most of them wait: for the other process, for a browser,
// or for time to pass.
const beside = 6

func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", strconv.Itoa(max(beside, runtime.GOMAXPROCS(0)))); err != nil {
			panic(err)
		}
	}
	bucketKeys()
	testenv.Main(m)
}

// bucketKeys sets the keys of the S3-compatible server for every program that a test starts: a test that sets them itself runs beside no other.
func bucketKeys() {
	server, err := url.Parse(os.Getenv("SANDLOT_TEST_S3"))
	if err != nil || server.User == nil {
		return
	}
	secret, _ := server.User.Password()
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": server.User.Username(), "AWS_SECRET_ACCESS_KEY": secret} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
}

func TestPlacesOfAServer(t *testing.T) {
	for _, tc := range []struct {
		name      string
		s         settings
		base, url string
		path      string
		mode      string
	}{
		{"the default", settings{PathForm: "auto"}, "http://localhost:8080", "http://p.localhost:8080/", "http://localhost:8080/~/p/", "local"},
		{"two domains", settings{BaseURL: "https://Example.com/", ContentHost: "example-content.net", PathForm: "auto"}, "https://example.com", "https://p.example-content.net/", "", "A"},
		{"one domain", settings{BaseURL: "https://example.com", ContentHost: "play.example.com", PathForm: "auto"}, "https://example.com", "https://p.play.example.com/", "", "B"},
		{"the content host defaults to the base's", settings{BaseURL: "https://example.com", PathForm: "auto"}, "https://example.com", "https://p.example.com/", "", "B"},
		{"a bare address has the path form only", settings{BaseURL: "http://203.0.113.7:8080", PathForm: "auto"}, "http://203.0.113.7:8080", "http://203.0.113.7:8080/~/p/", "http://203.0.113.7:8080/~/p/", "C"},
		{"no content host", settings{BaseURL: "https://example.com", ContentHost: "none", PathForm: "auto"}, "https://example.com", "https://example.com/~/p/", "https://example.com/~/p/", "C"},
		{"the path form by wish", settings{BaseURL: "https://example.com", ContentHost: "example.net", PathForm: "on"}, "https://example.com", "https://p.example.net/", "https://example.com/~/p/", "A"},
		{"no path form by wish", settings{PathForm: "off"}, "http://localhost:8080", "http://p.localhost:8080/", "", "local"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := tc.s.places("127.0.0.1:8080")
			expect.OK(t, err)
			a := p.Project("p", 0, "")
			mode, _ := isolation(p)
			got := [4]string{p.Base.String(), a.URL, a.Path, mode}
			if want := [4]string{tc.base, tc.url, tc.path, tc.mode}; got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestQuarantineIsForPublicInstances(t *testing.T) {
	for _, tc := range []struct {
		setting, host string
		want          bool
	}{
		{"auto", "localhost", false},
		{"auto", "192.168.1.5", false},
		{"auto", "play.test", false},
		{"auto", "example.com", true},
		{"auto", "203.0.113.7", true},
		{"on", "localhost", true},
		{"off", "example.com", false},
	} {
		if got := (settings{Quarantine: tc.setting}).quarantine(&url.URL{Host: tc.host}); got != tc.want {
			t.Errorf("%s on %s: %v", tc.setting, tc.host, got)
		}
	}
}

func TestKeysNeverReachTheLog(t *testing.T) {
	const key = "sla_o3BgYA80f3ff6XFdSJqHI4AOjmIeaS1nKege"
	if !inspect.LooksLikeKey(key) {
		t.Fatal("the key of this test is none")
	}
	for name, s := range map[string]string{
		"alone": key, "in a path": "/v1/project/" + key, "between letters": "a" + key + "b", "without its checksum": key[:34],
		"across the cut": strings.Repeat("x", maxLogged-20) + key, "behind the cut": strings.Repeat("x", 2*maxLogged) + key,
	} {
		t.Run(name, func(t *testing.T) {
			for _, format := range []string{"text", "json"} {
				var out strings.Builder
				log := newLogger(&out, format, "info")
				log.Info("request "+s, "path", s, "error", errors.New("read "+s), "secret", sandlot.Secret(s))
				log.WithGroup("inner").Info("x", "path", s)
				if strings.Contains(out.String(), key[4:20]) {
					t.Errorf("the %s log still has it", format)
				}
			}
		})
	}
}

// TestAPanicIsNoSuccess: the parser's own way to end the program must not catch every panic.
func TestAPanicIsNoSuccess(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the panic is gone")
		}
	}()
	err := run(t.Context(), []string{"version"}, nil, broken{}, broken{})
	t.Errorf("the command ended with %v", err)
}

// broken is a writer that panics.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("broken") }
