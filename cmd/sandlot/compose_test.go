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

// pinned is an image with a version, which is not replaced by another under the same name.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:v?\d+\.\d+(\.\d+)?(-[a-z0-9]+)?$`)

func TestEveryImageHasAVersion(t *testing.T) {
	var images []string
	for _, s := range readCompose(t).Services {
		if s.Build == "" {
			images = append(images, s.Image)
		}
	}
	for _, from := range regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(inRepository(t, "Dockerfile"), -1) {
		if from[1] != "scratch" {
			images = append(images, from[1])
		}
	}
	if len(images) < 5 {
		t.Errorf("only %d images were found", len(images))
	}
	for _, image := range images {
		if !pinned.MatchString(image) {
			t.Errorf("the image %s has no version", image)
		}
	}
}

func TestWhateverComposeRefersToIsThere(t *testing.T) {
	c := readCompose(t)
	for name, s := range c.Services {
		var networks named
		expect.OK(t, s.Networks.Decode(&networks))
		for _, network := range networks {
			if _, ok := c.Networks[network]; !ok {
				t.Errorf("%s is in the network %s, which is not there", name, network)
			}
		}
		for _, other := range s.DependsOn {
			if _, ok := c.Services[other]; !ok {
				t.Errorf("%s depends on %s, which is not there", name, other)
			}
		}
		for _, secret := range s.Secrets {
			if _, ok := c.Secrets[secret]; !ok {
				t.Errorf("%s has the secret %s, which is not there", name, secret)
			}
		}
		for _, volume := range s.Volumes {
			from, _, _ := strings.Cut(volume, ":")
			if _, ok := c.Volumes[from]; !ok {
				_, err := os.Stat(filepath.Join(root, from))
				if !strings.HasPrefix(from, "./") || err != nil {
					t.Errorf("%s has the volume %s, which is not there", name, from)
				}
			}
		}
		text, err := yaml.Marshal(s)
		expect.OK(t, err)
		for _, used := range regexp.MustCompile(`/run/secrets/(\w+)`).FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(s.Secrets, used[1]) {
				t.Errorf("%s reads the secret %s, which it is not given", name, used[1])
			}
		}
		if s.Restart == "" {
			t.Errorf("%s is not started again", name)
		}
		if len(s.Healthcheck.Test) == 0 && s.Build == "" {
			t.Errorf("%s has no check", name)
		}
	}
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
	c, caddyfile := readCompose(t), inRepository(t, "Caddyfile")
	node := c.Services[c.nodes()[0]].Environment
	var upstreams []string
	for _, name := range c.nodes() {
		upstreams = append(upstreams, name+node["SANDLOT_LISTEN"])
	}
	if want := "reverse_proxy " + strings.Join(upstreams, " ") + " {"; !strings.Contains(caddyfile, want) {
		t.Errorf("the Caddyfile does not say %q", want)
	}
	for _, want := range []string{"lb_policy round_robin", "health_uri /readyz", "health_port " + strings.TrimPrefix(node["SANDLOT_METRICS_LISTEN"], ":")} {
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

// TestTheSecretsOfComposeAreTold where the set-up is explained, with the same names.
func TestTheSecretsOfComposeAreTold(t *testing.T) {
	text := inRepository(t, "docs/nodes.md")
	for name, secret := range readCompose(t).Secrets {
		if file := filepath.Base(secret.File); !strings.Contains(text, " "+file+"\n") {
			t.Errorf("docs/nodes.md does not tell of %s, the secret %s", file, name)
		}
	}
	if want := "@postgres:5432/sandlot"; !strings.Contains(text, want) {
		t.Errorf("docs/nodes.md does not tell %q", want)
	}
	for _, ignored := range []string{".gitignore", ".dockerignore"} {
		if !strings.Contains(inRepository(t, ignored), "/secrets/\n") {
			t.Errorf("%s lets the secrets through", ignored)
		}
	}
}
