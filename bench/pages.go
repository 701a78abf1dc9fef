package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"sandlot/bench/rig"
)

const pageProjects = 50_000

// pagesRow asks for the pages that everybody sees, of a service with many projects,
// beside a bare handler that writes the same bytes from memory. There is nothing to
// reach: it tells what a page costs that is made anew for each reader.
func pagesRow(ctx context.Context, b *bench) ([]line, error) {
	s, err := b.listed(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := b.Folder("pages")
	if err != nil {
		return nil, err
	}
	asked := []struct{ what, path string }{{"the gallery", "/"}, {"a search", "/?q=seeded"}, {"a project's page", "/p/" + rig.SeededProject(pageProjects/2)}}
	for i, a := range asked {
		if err := saveAnswer(ctx, s, a.path, filepath.Join(dir, fmt.Sprint(i))); err != nil {
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
		p, err := b.pairs(
			func() (float64, error) {
				defer s.Profile(fmt.Sprintf("page-%d", i), int(b.limit.Seconds()))()
				return rig.Wrk(ctx, b.limit, "http://"+s.Addr+a.path, "Host: "+pages(s))
			},
			func() (float64, error) { return rig.Wrk(ctx, b.limit, fmt.Sprintf("http://%s/%d", bare.Addr, i)) })
		if err != nil {
			return lines, err
		}
		l := p.line(a.what+" at 50,000 projects, against a bare handler that writes the same bytes", "/s", 0)
		l.unqualified, l.reach = true, ""
		lines = append(lines, l)
	}
	searches, err := b.searches(ctx, s, dir)
	if err != nil {
		return lines, err
	}
	return append(lines, searches), s.Remove()
}

// searches asks for a mix of searches, none of which is answered from another's answer.
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
	return line{what: "a mix of searches at 50,000 projects", ours: fmt.Sprintf("%.0f /s", rate), reach: ">= 5000 /s", reached: rate >= 5000}, nil
}

// listed starts a service all of whose projects are listed, as they are on a local instance.
func (b *bench) listed(ctx context.Context) (*rig.Service, error) {
	data, err := b.seeded(ctx, "", pageProjects)
	if err != nil {
		return nil, err
	}
	return b.Service(ctx, data)
}

// saveAnswer keeps the body of a page in a file.
func saveAnswer(ctx context.Context, s *rig.Service, path, file string) error {
	l, err := rig.NewLane(ctx, s.Addr)
	if err != nil {
		return err
	}
	defer l.Close()
	body, err := l.Want(http.StatusOK, rig.Get(path, pages(s), ""))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(file, body, 0o600)
}
