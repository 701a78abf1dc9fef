package rig

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
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

// Wrk asks for a URL on 64 connections, as fast as the answers come, and returns
// the rate. Headers are "Name: value". An answer that is no success, or a
// connection that breaks, is an error.
func Wrk(ctx context.Context, limit time.Duration, url string, headers ...string) (float64, error) {
	return wrk(ctx, limit, 2, 64, url, headers...)
}

// WrkAll is Wrk for several servers at once, among which the connections are shared out, and returns
// the rate of all.
func WrkAll(ctx context.Context, limit time.Duration, urls []string, headers ...string) (float64, error) {
	rates := make([]float64, len(urls))
	g, ctx := errgroup.WithContext(ctx)
	for i, url := range urls {
		g.Go(func() (err error) {
			rates[i], err = wrk(ctx, limit, max(1, 2/len(urls)), 64/len(urls), url, headers...)
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

func wrk(ctx context.Context, limit time.Duration, threads, connections int, url string, headers ...string) (float64, error) {
	args := []string{fmt.Sprintf("-t%d", threads), fmt.Sprintf("-c%d", connections), fmt.Sprintf("-d%ds", max(1, int(limit.Seconds())))}
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
		return 0, errors.New("wrk tells no rate:\n" + string(out))
	}
	return strconv.ParseFloat(string(rate[1]), 64)
}
