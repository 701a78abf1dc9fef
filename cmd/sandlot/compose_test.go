package main

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"sandlot/internal/testkit/expect"
)

// named are those of a list, or of a mapping's keys: both are how compose.yaml refers to something.
type named []string

// UnmarshalYAML takes either.
func (n *named) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode {
		return node.Decode((*[]string)(n))
	}
	for i := 0; i < len(node.Content); i += 2 {
		*n = append(*n, node.Content[i].Value)
	}
	return nil
}

// A container is a service of compose.yaml.
type container struct {
	Image, Build, Restart string
	Environment           map[string]string
	DependsOn             named `yaml:"depends_on"`
	Networks              yaml.Node
	Secrets, Volumes      []string
	Command               []string
	Healthcheck           struct{ Test []string }
}

type composeFile struct {
	Services map[string]container
	Networks map[string]struct {
		IPAM struct{ Config []struct{ Subnet string } }
	}
	Volumes map[string]any
	Secrets map[string]struct{ File string }
}

const root = "../.."

func inRepository(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	expect.OK(t, err)
	return string(text)
}

func readCompose(t *testing.T) composeFile {
	t.Helper()
	var c composeFile
	expect.OK(t, yaml.Unmarshal([]byte(inRepository(t, "compose.yaml")), &c))
	if len(c.Services) < 7 {
		t.Fatalf("compose.yaml has only %d services", len(c.Services))
	}
	return c
}

// nodes are the names of the services that are Sandlot, in order.
func (c composeFile) nodes() (list []string) {
	for name, s := range c.Services {
		if s.Build != "" {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// reference is how compose.yaml takes a value from its surroundings.
var reference = regexp.MustCompile(`\$\{(\w+)[^}]*\}`)

// TestTheSettingsOfComposeAreTaken has the program check what compose.yaml gives each node, with files in the place of the secrets.
func TestTheSettingsOfComposeAreTaken(t *testing.T) {
	t.Parallel()
	c := readCompose(t)
	secrets := t.TempDir()
	for name, text := range map[string]string{
		"database_url": "postgres://sandlot:secret@postgres:5432/sandlot", "s3_key": "key", "s3_secret": "secret", "smtp_url": "smtps://user:secret@mail.example.com:465",
	} {
		expect.OK(t, os.WriteFile(filepath.Join(secrets, name), []byte(text+"\n"), 0o600))
	}
	outside := map[string]string{"BASE_HOST": "example.com", "CONTENT_HOST": "example-content.net"}
	if len(c.nodes()) != 3 {
		t.Errorf("there are %d nodes", len(c.nodes()))
	}
	for _, name := range c.nodes() {
		var env []string
		for variable, value := range c.Services[name].Environment {
			value = strings.Replace(value, "/run/secrets", secrets, 1)
			if variable == "SANDLOT_DATA" {
				value = t.TempDir()
			}
			env = append(env, variable+"="+reference.ReplaceAllStringFunc(value, func(ref string) string { return outside[reference.FindStringSubmatch(ref)[1]] }))
		}
		var out, said bytes.Buffer
		if err := run(t.Context(), []string{"config", "check"}, env, &out, &said); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, &said)
		}
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "WARNING") && !strings.Contains(line, "--metrics-listen") {
				t.Errorf("%s: %s", name, line)
			}
		}
		for _, variable := range []string{"SANDLOT_BLOB_URL", "SANDLOT_REDIS_URL"} {
			for _, at := range regexp.MustCompile(`//(\w+):\d+`).FindAllStringSubmatch(c.Services[name].Environment[variable], -1) {
				if _, ok := c.Services[at[1]]; !ok {
					t.Errorf("%s: %s leads to %s, which is not there", name, variable, at[1])
				}
			}
		}
	}
}

func TestCaddyLeadsToTheNodes(t *testing.T) {
	c, caddyfile := readCompose(t), inRepository(t, "deploy/nodes/Caddyfile")
	node := c.Services[c.nodes()[0]].Environment
	var upstreams []string
	for _, name := range c.nodes() {
		upstreams = append(upstreams, name+node["SANDLOT_LISTEN"])
	}
	if want := "reverse_proxy {$NODES:" + strings.Join(upstreams, " ") + "} {"; !strings.Contains(caddyfile, want) {
		t.Errorf("the Caddyfile does not say %q", want)
	}
	for _, want := range []string{"lb_policy round_robin", "health_uri /readyz", "health_port {$HEALTH_PORT" + node["SANDLOT_METRICS_LISTEN"] + "}"} {
		if !strings.Contains(caddyfile, want+"\n") {
			t.Errorf("the Caddyfile does not say %q", want)
		}
	}
	caddy := c.Services["caddy"]
	for _, used := range regexp.MustCompile(`\{\$(\w+)\}`).FindAllStringSubmatch(caddyfile, -1) {
		if caddy.Environment[used[1]] == "" {
			t.Errorf("Caddy is not told %s", used[1])
		}
	}
	for _, used := range regexp.MustCompile(`/run/secrets/(\w+)`).FindAllStringSubmatch(caddyfile, -1) {
		if !slices.Contains(caddy.Secrets, used[1]) {
			t.Errorf("Caddy is not given the secret %s", used[1])
		}
	}
	var at map[string]struct {
		Address netip.Addr `yaml:"ipv4_address"`
	}
	expect.OK(t, caddy.Networks.Decode(&at))
	subnet := netip.MustParsePrefix(c.Networks["front"].IPAM.Config[0].Subnet)
	if address := at["front"].Address; !subnet.Contains(address) || node["SANDLOT_TRUSTED_PROXIES"] != address.String() {
		t.Errorf("Caddy has the address %s in %s, and the nodes trust %s", address, subnet, node["SANDLOT_TRUSTED_PROXIES"])
	}
	if test := strings.Join(caddy.Healthcheck.Test, " "); !strings.Contains(test, "http://"+net.JoinHostPort("127.0.0.1", "2020")) || !strings.Contains(caddyfile, "\nhttp://127.0.0.1:2020 {") {
		t.Errorf("Caddy does not serve what its check asks for: %s", test)
	}
}
