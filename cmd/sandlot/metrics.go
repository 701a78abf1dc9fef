package main

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sandlot/internal/base/worker"
	"sandlot/internal/domain/account"
	"sandlot/internal/storage/blob/cache"
	"sandlot/internal/storage/redis"
)

// metrics holds the program's own numbers. Labels have few values, and clients choose none of them.
type metrics struct {
	public   bool // whether /metrics is served on the public listener
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
	inFlight atomic.Int64 // a gauge of Prometheus would be set in a loop, by all processors at once
	panics   prometheus.Counter
	refused  *prometheus.CounterVec // connections

	mu    sync.Mutex // held to change known
	known atomic.Pointer[map[series]counted]
}

// series are the labels of a count of requests.
type series struct {
	area, method string
	status       int
}

// counted holds the series in which a request counts.
type counted struct {
	requests prometheus.Counter
	seconds  prometheus.Observer
	in, out  prometheus.Counter
}

func newMetrics(public bool) *metrics {
	m := &metrics{
		public:   public,
		registry: prometheus.NewRegistry(),
		requests: counters("sandlot_http_requests_total", "Requests answered, by part of the service.", "area", "method", "status"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "sandlot_http_request_seconds", Help: "Time from the header to the end of the answer.",
			Buckets: []float64{.001, .005, .02, .1, .5, 2, 10, 60},
		}, []string{"area"}),
		bytes:   counters("sandlot_http_bytes_total", "Bytes of bodies.", "area", "direction"),
		panics:  counters("sandlot_panics_total", "Requests that ended in a fault of the program.").WithLabelValues(),
		refused: counters("sandlot_connections_refused_total", "Connections closed at once, by whose share is used up.", "limit"),
	}
	m.known.Store(&map[series]counted{})
	inFlight := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "sandlot_http_requests_in_flight", Help: "Requests being answered."},
		func() float64 { return float64(m.inFlight.Load()) })
	m.registry.MustRegister(m.requests, m.seconds, m.bytes, inFlight, m.panics, m.refused,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	// A series that begins with 40 has no increase, so the series that alerts watch exist from the start.
	for _, area := range areas {
		for _, method := range slices.Concat(methods, []string{"other"}) {
			for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusInsufficientStorage} {
				m.series(series{area, method, status})
			}
		}
	}
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// refusals returns the counters of refused connections: those of a network over its share, and those over the total.
func (m *metrics) refusals() [2]prometheus.Counter {
	return [2]prometheus.Counter{m.refused.WithLabelValues("network"), m.refused.WithLabelValues("all")}
}

// workers exports the failures of the workers, and when each last worked without one.
func (m *metrics) workers(failures map[string]*worker.Failures) {
	m.export("sandlot_worker_failures_total", "Things that a worker could not do; it tries these again.", []string{"worker"},
		func(add sample) {
			for name, f := range failures {
				add(float64(f.Count()), name)
			}
		})
	m.export("sandlot_worker_last_success_timestamp_seconds",
		"End of the last round of a worker without a failure, also of one without work; 0: none yet.", []string{"worker"},
		func(add sample) {
			for name, f := range failures {
				add(timestamp(f.LastWorked()), name)
			}
		})
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// shared exports whether the server that connects the nodes answers; nil: there is none.
func (m *metrics) shared(c *redis.Client) {
	if c == nil {
		return
	}
	m.gauge("sandlot_redis_up", "Whether the server of redis-url answered when it was last asked: 1 or 0.", func() float64 {
		return oneIf(c.Err() == nil)
	})
}

// cache exports the use of the folder that caches files of blob-url; blobs without one export nothing.
func (m *metrics) cache(of blobs) {
	c, ok := of.(cached)
	if !ok {
		return
	}
	reads := func(from string, count func(cache.Stats) int64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "sandlot_blob_reads_total", Help: "Reads of files of blob-url, by where they came from.",
			ConstLabels: prometheus.Labels{"from": from},
		}, func() float64 { return float64(count(c.Stats())) }))
	}
	reads("folder", func(s cache.Stats) int64 { return s.Hits })
	reads("store", func(s cache.Stats) int64 { return s.Misses })
	reads("damaged", func(s cache.Stats) int64 { return s.Corrupt })
	m.gauge("sandlot_blob_cache_bytes", "Bytes in the folder of files of blob-url.", func() float64 { return float64(c.Stats().Bytes) })
}

// A condition exports the readiness of a node, for monitors.
type condition struct{ of *router }

var ready = prometheus.NewDesc("sandlot_ready",
	"Whether this node can use a part, or whether its /readyz is 200 (part node): 1 or 0.", []string{"part"}, nil)

// Describe implements prometheus.Collector.
func (c condition) Describe(to chan<- *prometheus.Desc) { to <- ready }

// Collect implements prometheus.Collector.
func (c condition) Collect(to chan<- prometheus.Metric) {
	l := c.of.lacks(context.Background())
	show := func(part string, yes bool) {
		to <- prometheus.MustNewConstMetric(ready, prometheus.GaugeValue, oneIf(yes), part)
	}
	show("node", len(l.missing) == 0 && !c.of.draining.Load())
	for _, n := range c.of.needs {
		show(n.name, !slices.Contains(slices.Concat(l.missing, l.spare), n.name))
	}
}

// mailServer exports whether messages get through; nil: there is no server.
func (m *metrics) mailServer(s *account.MailServer) {
	if s == nil {
		return
	}
	m.gauge("sandlot_smtp_up", "Whether the mail server could be reached when it was last used: 1 or 0.", func() float64 {
		return oneIf(s.Up())
	})
}

// request counts an answered request.
func (m *metrics) request(area, method string, status int, took time.Duration, in, out int64) {
	c := m.series(series{area, knownMethod(method), status})
	c.requests.Inc()
	c.seconds.Observe(took.Seconds())
	if in > 0 {
		c.in.Add(float64(in))
	}
	c.out.Add(float64(out))
}

// series returns the series of a request. A look-up by labels in Prometheus takes longer than some answers. There are
// as many as there are labels: a few areas, methods and status codes, which the program chooses.
func (m *metrics) series(s series) counted {
	if c, ok := (*m.known.Load())[s]; ok {
		return c
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := counted{
		requests: m.requests.WithLabelValues(s.area, s.method, strconv.Itoa(s.status)), seconds: m.seconds.WithLabelValues(s.area),
		in: m.bytes.WithLabelValues(s.area, "in"), out: m.bytes.WithLabelValues(s.area, "out"),
	}
	known := maps.Clone(*m.known.Load())
	known[s] = c
	m.known.Store(&known)
	return c
}

// areas and methods are the labels of requests. They never change.
var (
	areas   = []string{"api", "guide", "health", "mcp", "metrics", "oauth", "pages", "play", "refused"}
	methods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"}
)

func knownMethod(method string) string {
	if slices.Contains(methods, method) {
		return method
	}
	return "other"
}
