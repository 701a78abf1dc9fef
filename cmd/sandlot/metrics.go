package main

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the program's own numbers. Labels have few values, none of which
// a client chooses.
type metrics struct {
	public   bool // whether /metrics is served beside everything else
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
	inFlight prometheus.Gauge
	panics   prometheus.Counter

	mu      sync.RWMutex
	known   map[series]prometheus.Counter // of requests, looked up once
	byAreas map[string]areaSeries
}

// series are the labels of a count of requests.
type series struct {
	area, method string
	status       int
}

// areaSeries are the other series of an area.
type areaSeries struct {
	seconds prometheus.Observer
	in, out prometheus.Counter
}

func newMetrics(public bool) *metrics {
	m := &metrics{
		public:   public,
		known:    map[series]prometheus.Counter{},
		byAreas:  map[string]areaSeries{},
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "sandlot_http_requests_total", Help: "Requests answered, by part of the service."}, []string{"area", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "sandlot_http_request_seconds", Help: "Time from the header to the end of the answer.",
			Buckets: []float64{.001, .005, .02, .1, .5, 2, 10, 60},
		}, []string{"area"}),
		bytes:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "sandlot_http_bytes_total", Help: "Bytes of bodies."}, []string{"area", "direction"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "sandlot_http_requests_in_flight", Help: "Requests being answered."}),
		panics:   prometheus.NewCounter(prometheus.CounterOpts{Name: "sandlot_panics_total", Help: "Requests that ended in a fault of the program."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.bytes, m.inFlight, m.panics,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// request counts an answered request.
func (m *metrics) request(area, method string, status int, took time.Duration, in, out int64) {
	requests, rest := m.series(series{area, knownMethod(method), status})
	requests.Inc()
	rest.seconds.Observe(took.Seconds())
	rest.in.Add(float64(in))
	rest.out.Add(float64(out))
}

// series returns the series of a request. To have Prometheus find them by their
// labels takes longer than to answer some requests. There are as many as there are
// labels: a few areas, methods and status codes, which the program chooses.
func (m *metrics) series(s series) (prometheus.Counter, areaSeries) {
	m.mu.RLock()
	requests, rest := m.known[s], m.byAreas[s.area]
	m.mu.RUnlock()
	if requests != nil {
		return requests, rest
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	requests = m.requests.WithLabelValues(s.area, s.method, strconv.Itoa(s.status))
	rest = areaSeries{m.seconds.WithLabelValues(s.area), m.bytes.WithLabelValues(s.area, "in"), m.bytes.WithLabelValues(s.area, "out")}
	m.known[s], m.byAreas[s.area] = requests, rest
	return requests, rest
}

func knownMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH":
		return method
	}
	return "other"
}
