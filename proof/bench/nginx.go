package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sandlot/proof/bench/rig"
)

// logSettings lists the access logs for the comparison, with the number of pages.
var logSettings = [...]struct {
	name       string // printed after nginx
	own, nginx string
	pages      int
	want       func(form) float64
}{
	{"", "all", "access.log combined buffer=64k flush=1s", len(pageSizes), func(f form) float64 { return f.nginx }},
	{", without access logs", "off", "off", 1, func(form) float64 { return 0.9 }},
	{", with Sandlot's access log alone", "all", "off", 1, func(form) float64 { return 0.8 }},
}

// nginxRow compares serving with nginx, configured for speed as its own documentation says, and for the same work: the
// same headers, and a buffered log line for each request, or none.
func nginxRow(ctx context.Context, b *bench) (lines []line, err error) {
	for _, logs := range logSettings {
		s, err := b.serving(ctx, "--access-log", logs.own)
		if err != nil {
			return lines, err
		}
		s.pages = s.pages[:logs.pages]
		p, err := b.nginx(ctx, s, logs.nginx)
		if err != nil {
			return lines, err
		}
		more, err := b.compare(ctx, s, peer{"nginx" + logs.name, p.Addr, logs.want})
		lines = append(lines, more...)
		if err == nil {
			err = errors.Join(p.Stop(), s.Remove())
		}
		if err != nil {
			return lines, err
		}
	}
	return lines, nil
}

// nginx starts an nginx with the pages of a site.
func (b *bench) nginx(ctx context.Context, s *publishedPages, accessLog string) (*rig.Program, error) {
	addr, err := rig.FreePort()
	if err != nil {
		return nil, err
	}
	dir, err := b.Folder("nginx")
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, nginxConf(addr, dir, s.root, accessLog, s.pages[0].headers), 0o644); err != nil {
		return nil, err
	}
	return b.Start(ctx, addr, "nginx", "-p", dir, "-c", conf, "-e", filepath.Join(dir, "error.log"), "-g", "daemon off;")
}

// nginxConf returns the configuration that serves root at addr.
func nginxConf(addr, dir, root, accessLog string, headers http.Header) []byte {
	var add strings.Builder
	for _, name := range foreignHeaders(headers) {
		fmt.Fprintf(&add, "    add_header %s %q always;\n", name, headers.Get(name))
	}
	return fmt.Appendf(nil, `
worker_processes auto;
pid %[1]s/pid;
events { worker_connections 1024; }
http {
  types { text/html html; }
  charset utf-8;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=1000 inactive=60s;
  open_file_cache_valid 60s;
  keepalive_requests 1000000000;
  access_log %[5]s;
  client_body_temp_path %[1]s/body;
  proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi;
  scgi_temp_path %[1]s/scgi;
  server {
    listen %[2]s reuseport backlog=1024;
    root %[3]s;
    gzip_static on;
%[4]s  }
}
`, dir, addr, root, add.String(), accessLog)
}

// foreignHeaders returns the headers that a peer must be configured to send.
func foreignHeaders(h http.Header) []string {
	own := []string{"Date", "Etag", "Content-Length", "Content-Type", "Content-Encoding", "Accept-Ranges", "Connection"}
	var names []string
	for name := range h {
		if !slices.Contains(own, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
