package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// alertCases are two for each alert, one that fires after 15 minutes and one that does not: values of its series, one a minute. Labels are those of the alert.
var alertCases = map[string]struct {
	labels map[string]string
	fires  map[string]string
	still  map[string]string
}{
	"SandlotNodeDown": {of("job", "sandlot", "instance", "a"), of(`up{job="sandlot",instance="a"}`, "1x10 0x9"), of(`up{job="sandlot",instance="a"}`, "1x14 0x9")},
	"SandlotNotReady": {of("instance", "a", "part", "node"), of(`sandlot_ready{instance="a",part="node"}`, "1x10 0x9"), of(`sandlot_ready{instance="a",part="node"}`, "1x13 0x9")},
	"SandlotNotReadyAnywhere": {
		nil, of(`sandlot_ready{instance="a",part="node"}`, "1x10 0x9", `up{job="sandlot",instance="b"}`, "0x19"),
		of(`sandlot_ready{instance="a",part="node"}`, "1x19", `sandlot_ready{instance="b",part="node"}`, "0x19", `up{job="sandlot",instance="c"}`, "0x19"),
	},
	"SandlotPartDown": {of("part", "blobs"), of(`sandlot_ready{part="blobs"}`, "1x10 0x9"), of(`sandlot_ready{part="redis"}`, "1x10 0x9", `sandlot_ready{part="node"}`, "1x10 0x9")},
	"SandlotNoWrites": {
		nil, of(`sandlot_writes_total{outcome="ok"}`, "7x40", `sandlot_writes_total{outcome="full"}`, "0+1x40"),
		of(`sandlot_writes_total{outcome="ok"}`, "0+1x40", `sandlot_writes_total{outcome="full"}`, "0+1x40"),
	},
	"SandlotDiskFullSoon": {
		of("folder", "data"), of(`sandlot_disk_free_bytes{folder="data"}`, "100e9-100e6x400"), of(`sandlot_disk_free_bytes{folder="data"}`, "100e9-10e6x400"),
	},
	"SandlotSlowCommits": {
		nil, of(`sandlot_commit_seconds_bucket{le="0.1"}`, "0+1x40", `sandlot_commit_seconds_bucket{le="2"}`, "0+9x40", `sandlot_commit_seconds_bucket{le="+Inf"}`, "0+9x40"),
		of(`sandlot_commit_seconds_bucket{le="0.1"}`, "0+9x40", `sandlot_commit_seconds_bucket{le="2"}`, "0+9x40", `sandlot_commit_seconds_bucket{le="+Inf"}`, "0+9x40"),
	},
	"SandlotVerifyDamaged": {nil, of("sandlot_verify_damaged", "2x19"), of("sandlot_verify_damaged", "2x9 0x9")},
	"SandlotNoBackup": {
		nil, of("sandlot_backup_last_success_timestamp_seconds", "60x1700"),
		of(`sandlot_backup_last_success_timestamp_seconds{instance="a"}`, "60x1700", `sandlot_backup_last_success_timestamp_seconds{instance="b"}`, "60x1440 86400x260"),
	},
	"SandlotCertificateEnds": {
		of("name", "base"), of(`sandlot_certificate_not_after_seconds{name="base"}`, "1e6x400"), of(`sandlot_certificate_not_after_seconds{name="base"}`, "2e6x400"),
	},
	"SandlotMailStuck": {nil, of("sandlot_mail_oldest_seconds", "3700x19"), of("sandlot_mail_oldest_seconds", "3700x9 10x9")},
	"SandlotWorkerStuck": {
		of("worker", "collect"), of(`sandlot_worker_last_success_timestamp_seconds{worker="collect"}`, "60x400"),
		of(`sandlot_worker_last_success_timestamp_seconds{worker="collect",instance="a"}`, "60x400", `sandlot_worker_last_success_timestamp_seconds{worker="collect",instance="b"}`, "0+60x400"),
	},
	"SandlotWorkerBehind": {of("worker", "covers"), of(`sandlot_worker_oldest_seconds{worker="covers"}`, "22000x19"), of(`sandlot_worker_oldest_seconds{worker="covers"}`, "20000x19")},
	"SandlotBehind":       {of("instance", "a"), of(`sandlot_head_age_seconds{instance="a"}`, "1x10 40x9"), of(`sandlot_head_age_seconds{instance="a"}`, "29x19")},
	"SandlotClockSkew":    {of("instance", "a"), of(`sandlot_clock_skew_seconds{instance="a"}`, "-3x19"), of(`sandlot_clock_skew_seconds{instance="a"}`, "1x19")},
	"SandlotOtherVersion": {
		nil, of(`sandlot_build_info{version="1",instance="a"}`, "1x400", `sandlot_build_info{version="2",instance="b"}`, "1x400"),
		of(`sandlot_build_info{version="2",instance="a"}`, "1x400", `sandlot_build_info{version="2",instance="b"}`, "1x400"),
	},
	"SandlotReportWaits": {nil, of("sandlot_report_oldest_seconds", "90000x19"), of("sandlot_report_oldest_seconds", "80000x19")},
	"SandlotListed":      {of("service", "dbl.example"), of(`sandlot_listed{service="dbl.example"}`, "0x5 1x19"), of(`sandlot_listed{service="dbl.example"}`, "0x19")},
	"SandlotJudgeSilent": {
		nil, of(`sandlot_verdicts_total{answer="unanswered"}`, "0x5 9x19"), of(`sandlot_verdicts_total{answer="unanswered"}`, "0x5 3x19"),
	},
	"SandlotErrors": {
		nil, of(`sandlot_http_requests_total{status="200"}`, "0+100x19", `sandlot_http_requests_total{status="500"}`, "0+5x19"),
		of(`sandlot_http_requests_total{status="200"}`, "0+1000x19", `sandlot_http_requests_total{status="500"}`, "0+5x19"),
	},
	"SandlotNoRoom": {nil, of(`sandlot_http_requests_total{status="507"}`, "0x13 40x9"), of(`sandlot_http_requests_total{status="507"}`, "40x19")},
	"SandlotSlow": {
		nil, of(`sandlot_http_request_seconds_bucket{area="api",le="10"}`, "0+1x40", `sandlot_http_request_seconds_bucket{area="api",le="60"}`, "0+9x40", `sandlot_http_request_seconds_bucket{area="api",le="+Inf"}`, "0+9x40"),
		of(`sandlot_http_request_seconds_bucket{area="api",le="10"}`, "0+9x40", `sandlot_http_request_seconds_bucket{area="api",le="60"}`, "0+9x40", `sandlot_http_request_seconds_bucket{area="api",le="+Inf"}`, "0+9x40"),
	},
	"SandlotDamaged":   {of("from", "damaged"), of(`sandlot_blob_reads_total{from="damaged"}`, "0x13 1x9"), of(`sandlot_blob_reads_total{from="store"}`, "0x13 1x9")},
	"SandlotRedisDown": {nil, of(`sandlot_redis_up{instance="a"}`, "1x9", `sandlot_redis_up{instance="b"}`, "0x19"), of(`sandlot_redis_up{instance="b"}`, "1x9 0x9")},
	"SandlotPanic":     {nil, of("sandlot_panics_total", "0x13 1x9"), of("sandlot_panics_total", "3x19")},
	"SandlotMailDown":  {nil, of("sandlot_smtp_up", "0x19"), of("sandlot_smtp_up", "1x9 0x9")},
	"SandlotWorkerFails": {
		of("worker", "collect"), of(`sandlot_worker_failures_total{worker="collect"}`, "0+1x400"), of(`sandlot_worker_failures_total{worker="collect"}`, "0x300 0+1x100"),
	},
	"SandlotNotConfirmed":       {of("worker", "heads"), of(`sandlot_worker_failures_total{worker="heads"}`, "0+60x19"), of(`sandlot_worker_failures_total{worker="heads"}`, "0x13 3x9")},
	"SandlotConnectionsRefused": {of("limit", "all"), of(`sandlot_connections_refused_total{limit="all"}`, "0x13 1x9"), of(`sandlot_connections_refused_total{limit="network"}`, "0+9x19")},
	"SandlotFewDescriptors": {
		of("job", "sandlot"), of(`process_open_fds{job="sandlot"}`, "95x19", `process_max_fds{job="sandlot"}`, "100x19"), of(`process_open_fds{job="sandlot"}`, "50x19", `process_max_fds{job="sandlot"}`, "100x19"),
	},
}

// alertsLater has the times of the cases that need longer than 15 minutes.
var alertsLater = of("SandlotWorkerFails", "390m", "SandlotSlow", "30m", "SandlotSlowCommits", "30m", "SandlotNoWrites", "30m", "SandlotDiskFullSoon", "390m",
	"SandlotNoBackup", "1600m", "SandlotCertificateEnds", "90m", "SandlotWorkerStuck", "300m", "SandlotOtherVersion", "90m")

// alertsNotYet has the series of the first hour of an instance, in which these do not fire: it has had no backup, and somebody imports a lot.
var alertsNotYet = map[string]map[string]string{
	"SandlotNoBackup":     of("sandlot_backup_last_success_timestamp_seconds", "-100000x60"),
	"SandlotDiskFullSoon": of(`sandlot_disk_free_bytes{folder="data"}`, "100e9-1e9x60"),
}

// of is a map of what stands beside each other.
func of(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

// TestRegressionM43EveryAlertFires, and only for what it is about.
func TestRegressionM43EveryAlertFires(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "promtool")
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert               string
				Labels, Annotations map[string]string
			}
		}
	}
	expect.OK(t, yaml.Unmarshal([]byte(inRepository(t, "deploy/alerts.yaml")), &rules))
	var tests []any
	for _, r := range rules.Groups[0].Rules {
		c, ok := alertCases[r.Alert]
		if !ok {
			t.Errorf("%s has no case", r.Alert)
			continue
		}
		fired := map[string]any{"exp_labels": r.Labels, "exp_annotations": r.Annotations}
		for name, value := range c.labels {
			r.Labels[name] = value
		}
		at := cmp.Or(alertsLater[r.Alert], "15m")
		for _, one := range []struct {
			series map[string]string
			at     string
			alerts []any
		}{{c.fires, at, []any{fired}}, {c.still, at, nil}, {alertsNotYet[r.Alert], "60m", nil}} {
			var input []any
			for name, values := range one.series {
				input = append(input, map[string]string{"series": name, "values": values})
			}
			tests = append(tests, map[string]any{"interval": "1m", "input_series": input, "alert_rule_test": []any{map[string]any{"eval_time": one.at, "alertname": r.Alert, "exp_alerts": one.alerts}}})
		}
	}
	folder := t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(folder, "alerts.yaml"), []byte(inRepository(t, "deploy/alerts.yaml")), 0o600))
	text, err := yaml.Marshal(map[string]any{"rule_files": []string{"alerts.yaml"}, "evaluation_interval": "1m", "tests": tests})
	expect.OK(t, err)
	expect.OK(t, os.WriteFile(filepath.Join(folder, "tests.yaml"), text, 0o600))
	if out, err := exec.Command("promtool", "test", "rules", filepath.Join(folder, "tests.yaml")).CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

// TestRegressionM43EveryFaultIsCountedFromTheStart: a series that begins with 40 has no increase.
func TestRegressionM43EveryFaultIsCountedFromTheStart(t *testing.T) {
	t.Parallel()
	families, err := newMetrics(true).registry.Gather()
	expect.OK(t, err)
	seen := map[string]bool{}
	for _, f := range families {
		if f.GetName() != "sandlot_http_requests_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			seen[strings.Join(labels, " ")] = m.GetCounter().GetValue() == 0
		}
	}
	router, own := inRepository(t, "cmd/sandlot/router.go"), inRepository(t, "cmd/sandlot/ownpaths.go")
	found := append(regexp.MustCompile(`return "(\w+)", `).FindAllStringSubmatch(router, -1), regexp.MustCompile(`\{"/\w+", "(\w+)", `).FindAllStringSubmatch(own, -1)...)
	if len(found) < 10 {
		t.Errorf("only %d areas were found", len(found))
	}
	for _, area := range found {
		for _, status := range []string{"500", "503", "507"} {
			if !seen[area[1]+" POST "+status] || !slices.Contains(areas, area[1]) {
				t.Errorf("no %s %s is counted", area[1], status)
			}
		}
	}
}
