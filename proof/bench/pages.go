package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"sandlot/proof/bench/rig"
)

const pageProjects = 50_000

// pageReach is the promised ratio of pages that are the same for many visitors.
const pageReach = 1.0 / 3

// An asking is a form of request for a page.
type asking struct {
	what, path string
	headers    []string // "Name: value"
	reach      float64  // 0: none
}

// askings returns the requests: the public pages, each as from browsers and as from clients without gzip, and a search.
func askings(session string) []asking {
	browser := "Accept-Encoding: gzip, deflate, br, zstd"
	list := []asking{{what: "a search", path: "/?q=seeded"}}
	for _, page := range []struct{ what, path string }{
		{"the home page", "/"},
		{"a project's page", "/p/" + rig.SeededProject(pageProjects/2)},
		{"a profile", "/@" + rig.SeededHandle(0)},
	} {
		list = append(list,
			asking{page.what, page.path, nil, pageReach},
			asking{page.what + ", gzip", page.path, []string{browser}, pageReach},
			asking{page.what + ", gzip, with a theme", page.path, []string{browser, "Cookie: __Host-theme=dark"}, pageReach},
			asking{page.what + ", gzip, with a login", page.path, []string{browser, "Cookie: __Host-session=" + session}, 0})
	}
	return list
}

// pagesRow compares the public pages of a service with many projects with a bare handler that writes the same bytes
// from memory.
func pagesRow(ctx context.Context, b *bench) ([]line, error) {
	s, session, err := b.listed(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := b.Folder("pages")
	if err != nil {
		return nil, err
	}
	asked := askings(session)
	for i, a := range asked {
		if err := saveAnswer(ctx, s, a, filepath.Join(dir, fmt.Sprint(i))); err != nil {
			return nil, err
		}
	}
	bare, err := b.startOwn(ctx, "send", dir)
	if err != nil {
		return nil, err
	}
	defer bare.Kill()
	var lines []line
	for i, a := range asked {
		headers := append([]string{"Host: " + pages(s)}, a.headers...)
		p, err := b.pairs(
			func() (float64, error) {
				defer s.Profile(fmt.Sprintf("page-%d", i), int(b.limit.Seconds()))()
				return rig.Wrk(ctx, b.limit, "http://"+s.Addr+a.path, headers...)
			},
			func() (float64, error) {
				return rig.Wrk(ctx, b.limit, fmt.Sprintf("http://%s/%d", bare.Addr, i), headers...)
			})
		if err != nil {
			return lines, err
		}
		what := "at 50,000 projects, " + a.what + ", against a bare handler that writes the same bytes"
		lines = append(lines, p.line(what, "/s", a.reach))
	}
	searches, err := b.searches(ctx, s, dir)
	if err != nil {
		return lines, err
	}
	return append(lines, searches), s.Remove()
}

// searches measures a mix of searches, none of which is answered from another's result.
func (b *bench) searches(ctx context.Context, s *rig.Service, dir string) (line, error) {
	var rates []float64
	for range b.runs {
		rig.Settle()
		rate, err := func() (float64, error) {
			defer s.Profile("searches", int(b.limit.Seconds()))()
			return rig.WrkEach(ctx, b.limit, dir, "http://"+s.Addr, rig.SeededSearches(pageProjects), "Host: "+pages(s))
		}()
		if err != nil {
			return line{}, err
		}
		rates = append(rates, rate)
	}
	slices.Sort(rates)
	rate := rates[len(rates)/2]
	return line{
		what: "at 50,000 projects, a mix of searches", ours: fmt.Sprintf("%.0f /s", rate), reach: ">= 1500 /s",
		reached: rate >= 1500,
	}, nil
}

// listed starts a service whose projects are all listed, as on a local instance, and returns the cookie of a login.
func (b *bench) listed(ctx context.Context) (*rig.Service, string, error) {
	data, err := b.seeded(ctx, "", pageProjects)
	if err != nil {
		return nil, "", err
	}
	session, err := rig.SeedLogin(ctx, filepath.Join(data, "sandlot.db"), 1)
	if err != nil {
		return nil, "", err
	}
	s, err := b.Service(ctx, data)
	return s, session, err
}

// saveAnswer saves the body of a page in a file, as it is sent.
func saveAnswer(ctx context.Context, s *rig.Service, a asking, file string) error {
	l, err := rig.NewLane(ctx, s.Addr)
	if err != nil {
		return err
	}
	defer l.Close()
	more := ""
	for _, h := range a.headers {
		more += h + "\r\n"
	}
	body, err := l.Want(http.StatusOK, rig.Get(a.path, pages(s), more))
	if err != nil {
		return fmt.Errorf("%s: %w", a.path, err)
	}
	return os.WriteFile(file, body, 0o600)
}
