package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"

	"sandlot/internal/base/worker"
	"sandlot/internal/domain/account"
	"sandlot/internal/storage/redis"
	"sandlot/internal/testkit/expect"
)

// TestAlertsAreAboutMetricsThatThereAre reads docs/alerts.yaml.
func TestAlertsAreAboutMetricsThatThereAre(t *testing.T) {
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary string }
			}
		}
	}
	expect.OK(t, yaml.Unmarshal([]byte(inRepository(t, "docs/alerts.yaml")), &rules))
	metrics, workers := metricNames(t), workerNames(t)
	metric, worker := regexp.MustCompile(`\b(?:sandlot|process|go)_\w+`), regexp.MustCompile(`worker=~?"([^"]*)"`)
	seen := 0
	for _, g := range rules.Groups {
		for _, rule := range g.Rules {
			if rule.Alert == "" || rule.Expr == "" || rule.Annotations.Summary == "" {
				t.Errorf("a rule without name, expression or summary: %+v", rule)
			}
			for _, name := range metric.FindAllString(rule.Expr, -1) {
				if seen++; !metrics[name] && !metrics[strings.TrimSuffix(name, "_bucket")] {
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

// metricNames are those of a node that has everything.
func metricNames(t *testing.T) map[string]bool {
	t.Helper()
	m := newMetrics(true)
	m.workers(map[string]*worker.Failures{"collect": {}})
	m.mailServer(&account.MailServer{})
	m.shared(&redis.Client{})
	m.cache(cached{})
	m.registry.MustRegister(condition{})
	descriptions := make(chan *prometheus.Desc, 1000)
	m.registry.Describe(descriptions)
	close(descriptions)
	names := map[string]bool{}
	for d := range descriptions {
		if found := regexp.MustCompile(`fqName: "(\w+)"`).FindStringSubmatch(fmt.Sprint(d)); found != nil {
			names[found[1]] = true
		}
	}
	if len(names) < 20 {
		t.Fatalf("only %d metrics were found", len(names))
	}
	return names
}

// workerNames are all names under which failures are counted.
func workerNames(t *testing.T) (names []string) {
	t.Helper()
	for _, file := range []string{"service.go", "playtest.go"} {
		for _, found := range regexp.MustCompile(`failuresOf\("(\w+)"\)`).FindAllStringSubmatch(inRepository(t, "cmd/sandlot/"+file), -1) {
			names = append(names, found[1])
		}
	}
	if len(names) < 5 {
		t.Fatalf("only %d workers were found", len(names))
	}
	return names
}
