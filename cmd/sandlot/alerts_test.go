package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"sandlot/internal/testkit/expect"
)

// TestAlertsAreAboutMetricsThatThereAre reads deploy/alerts.yaml.
func TestAlertsAreAboutMetricsThatThereAre(t *testing.T) {
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary, Runbook string }
			}
		}
	}
	expect.OK(t, yaml.Unmarshal([]byte(inRepository(t, "deploy/alerts.yaml")), &rules))
	metrics, workers := metricNames(t), workerNames(t)
	worker := regexp.MustCompile(`worker=~?"([^"]*)"`)
	seen := 0
	for _, g := range rules.Groups {
		for _, rule := range g.Rules {
			if rule.Alert == "" || rule.Expr == "" || rule.Annotations.Summary == "" {
				t.Errorf("a rule without name, expression or summary: %+v", rule)
			}
			if page, at, _ := strings.Cut(rule.Annotations.Runbook, "#"); !hasHeading(inRepository(t, page), at) {
				t.Errorf("%s leads to %s, where there is no such heading", rule.Alert, rule.Annotations.Runbook)
			}
			for _, name := range ofSandlot.FindAllString(rule.Expr, -1) {
				if seen++; !isMetric(metrics, name) {
					t.Errorf("%s is about %s, which is no metric", rule.Alert, name)
				}
			}
			for _, found := range worker.FindAllStringSubmatch(rule.Expr, -1) {
				for name := range strings.SplitSeq(found[1], "|") {
					if !slices.Contains(workers, name) {
						t.Errorf("%s is about the worker %s, which is none", rule.Alert, name)
					}
				}
			}
		}
	}
	if seen < 8 {
		t.Errorf("only %d metrics were found", seen)
	}
}

// hasHeading reports whether a page has a heading with this anchor.
func hasHeading(page, anchor string) bool {
	for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		if strings.ReplaceAll(strings.ToLower(h[1]), " ", "-") == anchor {
			return true
		}
	}
	return false
}

// workerNames are all names under which failures are counted.
func workerNames(t *testing.T) (names []string) {
	t.Helper()
	for _, file := range []string{"service.go", "mailer.go", "playtest.go", "judge.go", "listed.go", "metrics_minutes.go"} {
		for _, found := range regexp.MustCompile(`failuresOf\("(\w+)"\)`).FindAllStringSubmatch(inRepository(t, "cmd/sandlot/"+file), -1) {
			names = append(names, found[1])
		}
	}
	if len(names) < 5 {
		t.Fatalf("only %d workers were found", len(names))
	}
	return names
}
