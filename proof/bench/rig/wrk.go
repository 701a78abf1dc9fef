package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

var (
	wrkRate   = regexp.MustCompile(`Requests/sec:\s*([0-9.]+)`)
	wrkFailed = regexp.MustCompile(`Non-2xx or 3xx responses: \d+|Socket errors: .*`)
)

// Wrk requests a URL on 64 connections, as fast as the answers come, and returns the rate. Headers are "Name: value".
// An answer without success, or a broken connection, is an error.
func Wrk(ctx context.Context, limit time.Duration, url string, headers ...string) (float64, error) {
	return wrk(ctx, limit, 2, 64, "", url, headers...)
}

// WrkAll works like Wrk for several servers at once, with the connections spread over them, and returns the total rate.
func WrkAll(ctx context.Context, limit time.Duration, urls []string, headers ...string) (float64, error) {
	rates := make([]float64, len(urls))
	g, ctx := errgroup.WithContext(ctx)
	for i, url := range urls {
		g.Go(func() (err error) {
			rates[i], err = wrk(ctx, limit, max(1, 2/len(urls)), 64/len(urls), "", url, headers...)
			return err
		})
	}
	err := g.Wait()
	var sum float64
	for _, r := range rates {
		sum += r
	}
	return sum, err
}

// WrkEach works like Wrk for several paths below a URL, which each connection's thread requests in turn. The script for
// that is written to dir.
func WrkEach(ctx context.Context, limit time.Duration, dir, url string, paths []string, headers ...string) (float64, error) {
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = strconv.Quote(p)
	}
	script := filepath.Join(dir, "paths.lua")
	text := "local paths, n = {" + strings.Join(quoted,
		", ") + "}, 0\nrequest = function()\n\tn = n % #paths + 1\n\treturn wrk.format(nil, paths[n])\nend\n"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		return 0, err
	}
	return wrk(ctx, limit, 2, 64, script, url, headers...)
}

func wrk(ctx context.Context, limit time.Duration, threads, connections int, script, url string, headers ...string) (float64, error) {
	args := []string{fmt.Sprintf("-t%d", threads), fmt.Sprintf("-c%d", connections), fmt.Sprintf("-d%ds", max(1, int(limit.Seconds())))}
	if script != "" {
		args = append(args, "-s", script)
	}
	for _, h := range headers {
		args = append(args, "-H", h)
	}
	out, err := exec.CommandContext(ctx, "wrk", append(args, url)...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("wrk: %w\n%s", err, out)
	}
	if bad := wrkFailed.Find(out); bad != nil {
		return 0, fmt.Errorf("wrk %s: %s", strings.Join(headers, ", "), bad)
	}
	rate := wrkRate.FindSubmatch(out)
	if rate == nil {
		return 0, errors.New("wrk reports no rate:\n" + string(out))
	}
	return strconv.ParseFloat(string(rate[1]), 64)
}
