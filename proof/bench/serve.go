package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sandlot/proof/bench/rig"
)

// A page is a project for the measurement of GET, with the data for a peer to send the same.
type page struct {
	name    string // "10 KiB"
	file    string // in the folder of the peer
	host    string
	plain   []byte
	gzip    []byte
	headers http.Header // of the compressed answer
}

// A form is a form of request for a page.
type form struct {
	name   string
	coding string // of Accept-Encoding
	etag   bool   // ask with the ETag of the previous answer
	caddy  float64
	nginx  float64
}

var forms = [...]form{
	{name: "gzip", coding: "gzip", nginx: 0.9, caddy: 2.5},
	{name: "plain", coding: "identity", nginx: 0.7, caddy: 2.5},
	{name: "304", coding: "gzip", etag: true, nginx: 0.7, caddy: 2.5},
}

// publishedPages holds a service with pages, and a folder of the same pages for its peers.
type publishedPages struct {
	*rig.Service
	pages []page
	root  string
}

// pageSizes lists a small game and a large one.
var pageSizes = [...]struct {
	name string
	size int
}{{"10 KiB", 10 << 10}, {"300 KiB", 300 << 10}}

// serving starts the service with these flags, publishes the pages, waits for their compressed forms, and writes both
// forms to the folder of the peers.
func (b *bench) serving(ctx context.Context, flags ...string) (*publishedPages, error) {
	s, err := b.Service(ctx, "", flags...)
	if err != nil {
		return nil, err
	}
	root, err := b.Folder("root")
	if err != nil {
		return nil, err
	}
	key, err := s.Signup(ctx, "serve@example.com")
	if err != nil {
		return nil, err
	}
	out := &publishedPages{Service: s, root: root}
	for i, size := range pageSizes {
		p := page{name: size.name, file: fmt.Sprintf("page-%d.html", i)}
		project, err := s.Publish(ctx, key, text(size.size))
		if err != nil {
			return nil, err
		}
		p.host = s.Host(project)
		if err := p.read(ctx, s.Addr); err != nil {
			return nil, err
		}
		out.pages = append(out.pages, p)
		for name, bytes := range map[string][]byte{p.file: p.plain, p.file + ".gz": p.gzip} {
			if err := os.WriteFile(filepath.Join(root, name), bytes, 0o644); err != nil {
				return nil, err
			}
		}
	}
	return out, squeezed(ctx, s.Data)
}

// read requests both forms of the page until the compressed one is made.
func (p *page) read(ctx context.Context, addr string) error {
	l, err := rig.NewLane(ctx, addr)
	if err != nil {
		return err
	}
	defer l.Close()
	until := time.Now().Add(time.Minute) // the worker polls twice a second
	for time.Now().Before(until) {
		if p.plain, _, err = p.get(l, "/", "identity"); err != nil {
			return err
		}
		if p.gzip, p.headers, err = p.get(l, "/", "gzip"); err != nil {
			return err
		}
		if p.headers.Get("Content-Encoding") == "gzip" {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("%s is not compressed", p.host)
}

func (p *page) get(l *rig.Lane, path, coding string) ([]byte, http.Header, error) {
	res, body, err := l.Do(rig.Get(path, p.host, "Accept-Encoding: "+coding+"\r\n"))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", p.host, res.Status)
	}
	if err != nil {
		return nil, nil, err
	}
	return body, res.Header, nil
}

// A peer is another server with the same pages.
type peer struct {
	name string
	addr string
	want func(form) float64 // the ratio to reach; 0 for none
}

// compare measures all forms of all pages on the service and on a peer.
func (b *bench) compare(ctx context.Context, s *publishedPages, p peer) ([]line, error) {
	var lines []line
	for _, pg := range s.pages {
		for _, f := range forms {
			own, err := target(ctx, s.Addr, "/", pg, f)
			if err != nil {
				return lines, err
			}
			other, err := target(ctx, p.addr, "/"+pg.file, pg, f)
			if err != nil {
				return lines, fmt.Errorf("%s: %w", p.name, err)
			}
			r, err := b.pairs(
				func() (float64, error) {
					defer s.Profile("get-"+pg.file+"-"+f.name, int(b.limit.Seconds()))()
					return rig.Wrk(ctx, b.limit, own.url, own.headers...)
				},
				func() (float64, error) { return rig.Wrk(ctx, b.limit, other.url, other.headers...) })
			if err != nil {
				return lines, err
			}
			lines = append(lines, r.line("GET of "+pg.name+", "+f.name+", against "+p.name, "/s", p.want(f)))
		}
	}
	return lines, nil
}

// request holds the arguments for wrk.
type request struct {
	url     string
	headers []string
}

// target prepares a form for wrk, after a check of the server's answer: the same bytes, and no fewer headers than the
// service sends.
func target(ctx context.Context, addr, path string, pg page, f form) (request, error) {
	l, err := rig.NewLane(ctx, addr)
	if err != nil {
		return request{}, err
	}
	defer l.Close()
	body, headers, err := pg.get(l, path, f.coding)
	if err != nil {
		return request{}, err
	}
	want := pg.plain
	if f.coding == "gzip" {
		want = pg.gzip
	}
	if !bytes.Equal(body, want) {
		return request{}, fmt.Errorf("%s as %s: %d wrong bytes", pg.name, f.name, len(body))
	}
	if err := sameHeaders(headers, pg.headers, f.coding); err != nil {
		return request{}, err
	}
	r := request{url: "http://" + addr + path, headers: []string{"Host: " + pg.host, "Accept-Encoding: " + f.coding}}
	if f.etag {
		r.headers = append(r.headers, "If-None-Match: "+headers.Get("Etag"))
		_, err = l.Want(http.StatusNotModified,
			rig.Get(path, pg.host, "Accept-Encoding: "+f.coding+"\r\nIf-None-Match: "+headers.Get("Etag")+"\r\n"))
	}
	return r, err
}

// sameHeaders checks that no header of the service is missing or has another value. It ignores ETags and dates, which
// each server makes itself.
func sameHeaders(got, want http.Header, coding string) error {
	own := []string{"Etag", "Date", "Content-Length", "Content-Encoding", "Accept-Ranges"}
	for name, values := range want {
		if slices.Contains(own, name) {
			if coding == "gzip" && got.Get(name) == "" {
				return fmt.Errorf("no header %s", name)
			}
			continue
		}
		if !slices.Contains(got[name], values[0]) {
			return fmt.Errorf("header %s is %q, and not %q", name, got[name], values)
		}
	}
	return nil
}
