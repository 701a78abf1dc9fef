package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sandlot/proof/bench/rig"
)

const (
	caddyModule   = "github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.9"
	pocketVersion = "v0.39.0"
	pocketModule  = "github.com/pocketbase/pocketbase/examples/base@" + pocketVersion
)

// caddyRow compares serving with Caddy, with precompressed files, no access log, and the same headers.
func caddyRow(ctx context.Context, b *bench) ([]line, error) {
	bin, err := b.tool(ctx, "caddy", caddyModule)
	if err != nil {
		return nil, err
	}
	s, err := b.serving(ctx)
	if err != nil {
		return nil, err
	}
	addr, err := rig.FreePort()
	if err != nil {
		return nil, err
	}
	dir, err := b.Folder("caddy")
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(conf, caddyfile(addr, s.root, s.pages[0].headers), 0o644); err != nil {
		return nil, err
	}
	p, err := b.Start(ctx, addr, bin, "run", "--config", conf)
	if err != nil {
		return nil, err
	}
	lines, err := b.compare(ctx, s, peer{"Caddy", p.Addr, func(f form) float64 { return f.caddy }})
	if err != nil {
		return lines, err
	}
	if err := p.Stop(); err != nil {
		return lines, err
	}
	return lines, s.Remove()
}

func caddyfile(addr, root string, headers http.Header) []byte {
	var set strings.Builder
	for _, name := range foreignHeaders(headers) {
		fmt.Fprintf(&set, "    %s %q\n", name, headers.Get(name))
	}
	return fmt.Appendf(nil, `{
  admin off
  auto_https off
  persist_config off
}
http://:%s {
  bind 127.0.0.1
  root * %s
  header {
%s  }
  file_server {
    precompressed gzip
  }
}
`, addr[strings.LastIndexByte(addr, ':')+1:], root, set.String())
}

// tool returns a foreign program, and builds it in the tools folder if it is missing.
func (b *bench) tool(ctx context.Context, name, module string) (string, error) {
	path := filepath.Join(b.tools, filepath.Base(strings.SplitN(module, "@", 2)[0]))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(b.tools, 0o755); err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "bench: installing %s\n", module)
	cmd := exec.CommandContext(ctx, "go", "install", module)
	cmd.Env = append(os.Environ(), "GOBIN="+b.tools, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install %s: %w\n%s", name, err, out)
	}
	return path, nil
}
