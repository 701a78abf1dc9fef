package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
)

// A record is one line of the ledger. Worker and one other field are set.
type record struct {
	Worker  int
	Intent  *op  `json:",omitempty"` // about to be sent
	Ack     *ack `json:",omitempty"` // answer to the worker's last intent
	Expired bool `json:",omitempty"` // the worker's unfinished upload was made too old
}

// An ack holds the parts of an answer that must be true from then on. Keys are hashed, since the ledger is also
// searched for keys.
type ack struct {
	Status     int
	Account    string `json:",omitempty"` // hash of the account's key
	Handle     string `json:",omitempty"`
	Key        string `json:",omitempty"` // hash of the project's key
	Project    string `json:",omitempty"`
	URL        string `json:",omitempty"`
	VersionURL string `json:",omitempty"`
	Version    int    `json:",omitempty"`
	Code       string `json:",omitempty"` // four words of a player

	Imported []string `json:",omitempty"` // ids
	URLs     []string `json:",omitempty"` // of the imported projects
}

// A ledger is a file that holds a record once write has returned. Several workers may write at once.
type ledger struct {
	mu   sync.Mutex
	file *os.File
}

func openLedger(path string) (*ledger, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	return &ledger{file: f}, err
}

func (l *ledger) write(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	l.mu.Lock()
	_, err = l.file.Write(append(line, '\n'))
	l.mu.Unlock()
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// rebuild returns the world that the file describes.
func rebuild(path string, workers int) (world, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w := newWorld(workers)
	for in := json.NewDecoder(bufio.NewReader(f)); ; {
		var r record
		switch err := in.Decode(&r); err {
		case nil:
			w[r.Worker].apply(r)
		case io.EOF:
			return w, nil
		default:
			return nil, fmt.Errorf("ledger: %w", err)
		}
	}
}
