package main

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sandlot/internal/base/meter"
)

// sample adds a value of a metric, with its labels.
type sample func(v float64, labels ...string)

// A family is a metric whose values are read at each scrape, from memory.
type family struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(sample)
}

// export exports a metric: a counter if its name ends in _total, a gauge otherwise.
func (m *metrics) export(name, help string, labels []string, read func(sample)) {
	kind := prometheus.GaugeValue
	if strings.HasSuffix(name, "_total") {
		kind = prometheus.CounterValue
	}
	m.registry.MustRegister(family{prometheus.NewDesc(name, help, labels, nil), kind, read})
}

// Describe implements prometheus.Collector.
func (f family) Describe(to chan<- *prometheus.Desc) { to <- f.desc }

// Collect implements prometheus.Collector.
func (f family) Collect(to chan<- prometheus.Metric) {
	f.read(func(v float64, labels ...string) { to <- prometheus.MustNewConstMetric(f.desc, f.kind, v, labels...) })
}

// gauge exports the value of now.
func (m *metrics) gauge(name, help string, now func() float64) {
	m.export(name, help, nil, func(add sample) { add(now()) })
}

// distributions are histograms with labels.
type distributions struct {
	desc *prometheus.Desc
	read func(add func(h *meter.Histogram, labels ...string))
}

// histogram exports a histogram, and histograms those with labels.
func (m *metrics) histogram(name, help string, h *meter.Histogram) {
	m.histograms(name, help, nil, func(add func(*meter.Histogram, ...string)) { add(h) })
}

func (m *metrics) histograms(name, help string, labels []string, read func(add func(h *meter.Histogram, labels ...string))) {
	m.registry.MustRegister(distributions{prometheus.NewDesc(name, help, labels, nil), read})
}

// Describe implements prometheus.Collector.
func (d distributions) Describe(to chan<- *prometheus.Desc) { to <- d.desc }

// Collect implements prometheus.Collector.
func (d distributions) Collect(to chan<- prometheus.Metric) {
	d.read(func(h *meter.Histogram, labels ...string) {
		count, sum, upTo := h.Read()
		to <- prometheus.MustNewConstHistogram(d.desc, count, sum, upTo, labels...)
	})
}

// timestamp returns a time as metrics have it: 0 for the zero time.
func timestamp(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

// age returns the seconds since a time, 0 since the zero time or a later one.
func age(now, t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return max(now.Sub(t).Seconds(), 0)
}
