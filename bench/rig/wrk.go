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
)

var (
	wrkRate   = regexp.MustCompile(`Requests/sec:\s*([0-9.]+)`)
	wrkFailed = regexp.MustCompile(`Non-2xx or 3xx responses: \d+|Socket errors: .*`)
)

// Wrk asks for a URL on 64 connections, as fast as the answers come, and returns
// the rate. Headers are "Name: value". An answer that is no success, or a
// connection that breaks, is an error.
func Wrk(ctx context.Context, limit time.Duration, url string, headers ...string) (float64, error) {
	args := []string{"-t2", "-c64", fmt.Sprintf("-d%ds", max(1, int(limit.Seconds())))}
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
