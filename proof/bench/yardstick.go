package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"sandlot/internal/storage/sqlstore"
)

// yardstick runs one of the yardsticks as a process of its own, like the service:
//
//	yardstick save FOLDER   saves each request's body with fsync
//	yardstick copy FOLDER   answers with the stored bytes of all files of a data folder
//	yardstick send FOLDER   answers with a file of the folder, from memory
func yardstick(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("yardstick save|copy|send FOLDER")
	}
	h, err := saver(args[1]), error(nil)
	switch args[0] {
	case "copy":
		h, err = copier(args[1])
	case "send":
		h, err = sender(args[1])
	}
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("msg=listening addr=%s\n", l.Addr())
	return http.Serve(l, h)
}

// saver returns the minimal server that keeps its promise to store a body.
func saver(dir string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := save(dir, r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
	}
}

func save(dir string, body io.Reader) error {
	f, err := os.CreateTemp(dir, "body-*")
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(f, body); err != nil {
		return err
	}
	return f.Sync()
}

// sender returns the minimal server that answers with bytes.
func sender(dir string) (http.HandlerFunc, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	bodies := map[string][]byte{}
	for _, f := range files {
		if bodies["/"+f.Name()], err = os.ReadFile(filepath.Join(dir, f.Name())); err != nil {
			return nil, err
		}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(bodies[r.URL.Path]) // the client is gone if this fails
	}, nil
}

// copier returns a handler that reads the stored form of each file of a data folder, one after another, and sends it.
func copier(data string) (http.HandlerFunc, error) {
	ctx := context.Background()
	db, err := sqlstore.OpenSQLite(ctx, filepath.Join(data, "sandlot.db"), sqlstore.Options{})
	if err != nil {
		return nil, err
	}
	forms, err := storedForms(ctx, db)
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, r *http.Request) {
		for _, b := range forms {
			bytes, err := db.Publish().Content(r.Context(), b.ID)
			if err == nil {
				_, err = w.Write(bytes)
			}
			if err != nil {
				panic(http.ErrAbortHandler) // a short answer must not look whole
			}
		}
	}, nil
}

// appending lets writers append the same bytes to one file, each with an fsync before its next write, and returns the
// writes in a second.
func appending(ctx context.Context, file string, writers int, bytes []byte, limit time.Duration) (float64, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var done atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began := time.Now()
	for range writers {
		wg.Go(func() {
			for ctx.Err() == nil && failed.Load() == nil && time.Since(began) < limit {
				if err := appendOne(f, bytes); err != nil {
					failed.Store(&err)
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(done.Load()) / time.Since(began).Seconds(), ctx.Err()
}

func appendOne(f *os.File, bytes []byte) error {
	if _, err := f.Write(bytes); err != nil {
		return err
	}
	return f.Sync()
}
