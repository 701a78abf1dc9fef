package rig

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"sandlot/internal/client/client"
)

// A Service is a running sandlot.
type Service struct {
	*Program
	Data    string // its data folder
	Metrics string // address of its metrics and profiles

	rig *Rig
}

// metricsAddr matches the log line with the address of the metrics.
var metricsAddr = regexp.MustCompile(`(?m)msg=metrics addr=(\S+)`)

// Service starts the service on a data folder: data, or a new one if that is empty.
func (r *Rig) Service(ctx context.Context, data string, flags ...string) (*Service, error) {
	return r.service(ctx, data, nil, flags...)
}

func (r *Rig) service(ctx context.Context, data string, env []string, flags ...string) (*Service, error) {
	if data == "" {
		var err error
		if data, err = r.Folder("data"); err != nil {
			return nil, err
		}
	}
	argv := append([]string{r.bin, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--data", data}, flags...)
	p, err := r.start(ctx, "", env, argv...)
	if err != nil {
		return nil, err
	}
	s := &Service{Program: p, Data: data, rig: r}
	if found := metricsAddr.FindStringSubmatch(p.Log()); found != nil {
		s.Metrics = found[1]
	}
	return s, nil
}

// Remove stops the service and removes its data.
func (s *Service) Remove() error {
	if err := s.Stop(); err != nil {
		return err
	}
	return os.RemoveAll(s.Data)
}

// Host returns the host name of a project.
func (s *Service) Host(project string) string {
	return project + ".localhost" + s.Addr[len("127.0.0.1"):]
}

// perCall uses a new connection for each call, so that no connection of its own remains in the measured service.
var perCall = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: requestWait}

// API returns a client of the service with a key, or with none if that is empty. Measured requests go over a Lane
// instead.
func (s *Service) API(key string) *client.Client {
	return &client.Client{Base: &url.URL{Scheme: "http", Host: s.Addr}, Key: key, HTTP: perCall}
}

// Signup makes an account and returns its key.
func (s *Service) Signup(ctx context.Context, email string) (key string, err error) {
	made, err := s.API("").Signup(ctx, client.Fields{Email: email})
	return made.APIKey, err
}

// Publish publishes a primary file and returns the project.
func (s *Service) Publish(ctx context.Context, key string, content []byte) (project string, err error) {
	made, err := s.API(key).Publish(ctx, client.Fields{}, bytes.NewReader(content))
	return made.ProjectID, err
}

// Idle waits until the service is at rest, so that only its permanent memory is left, and restarts the peak of its
// memory.
func (s *Service) Idle(ctx context.Context) (Memory, error) {
	var last Memory
	for range 100 { // 10 s; the work after a small publish takes one or two
		m, err := s.Memory()
		if err != nil {
			return m, err
		}
		if m == last {
			break
		}
		last = m
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return m, ctx.Err()
		}
	}
	if err := s.ResetPeak(); err != nil {
		return last, err
	}
	return s.Memory()
}

// Profile starts a CPU profile of that many seconds, if the run has profiles. The returned function waits until it is
// written.
func (s *Service) Profile(name string, seconds int) (wait func() error) {
	if s.rig.Profiles == "" {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	go func() {
		done <- s.fetch(fmt.Sprintf("/debug/pprof/profile?seconds=%d", seconds), filepath.Join(s.rig.Profiles, name+".pprof"))
	}()
	return func() error { return <-done }
}

// fetch saves an answer of the private listener.
func (s *Service) fetch(path, file string) error {
	res, err := http.Get("http://" + s.Metrics + path)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("profile: %s", res.Status)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(f, res.Body)
	return err
}
