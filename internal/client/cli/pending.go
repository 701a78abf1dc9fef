package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A pending delivery is under way. The same command continues it: the same bytes, from the same folder, to the same server, by the
// same account. It lies in the user's folder of settings and never beside the work, where a folder that somebody else made could
// bring one along.
type pending struct {
	Digest string `json:"digest"`          // of the delivery
	Caller string `json:"caller"`          // the hash of the key; empty: begun without a key
	Key    string `json:"idempotency_key"` // so that it has one effect
	Upload string `json:"upload_id"`
}

// begin returns the pending delivery that d continues, or records a new one. A delivery that cannot be recorded is sent all the same,
// with a warning.
func (s *session) begin(at place, d delivery) (pending, error) {
	digest, err := d.digest(s.server())
	if err != nil {
		return pending{}, err
	}
	if at.state.ID != "" {
		if err := at.prepare(); err != nil {
			return pending{}, err
		}
	}
	now := pending{Digest: digest, Key: s.env.Random(), Upload: s.env.Random()}
	if s.Key != "" {
		now.Caller = hexSum(s.Key)
	}
	path, err := s.pendingPath(at)
	if err == nil {
		if before, ok := now.continues(path); ok {
			return before, nil
		}
		err = now.save(path)
	}
	if err != nil {
		s.env.say("warning: the delivery is not recorded, and cannot be continued after a break: %v", err)
	}
	return now, nil
}

// continues returns the delivery in a file, if it is the same delivery of the same caller, or was begun without a key.
func (now pending) continues(path string) (before pending, ok bool) {
	text, err := readSmall(path)
	ok = err == nil && json.Unmarshal(text, &before) == nil && before.Digest == now.Digest && (before.Caller == "" || before.Caller == now.Caller)
	return before, ok
}

func (now pending) save(path string) error {
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replaceFile(path, text, 0o600)
}

// delivered forgets the pending delivery, once everything that its answer brought is kept elsewhere: until then the same command gets
// the same answer again.
func (s *session) delivered(at place) error {
	path, err := s.pendingPath(at)
	if err != nil {
		return nil // it was never recorded
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// pendingPath returns the file for the pending delivery of a folder to the server: there is one at most.
func (s *session) pendingPath(at place) (string, error) {
	config, err := s.env.Config()
	if err != nil {
		return "", err
	}
	dir, err := filepath.Abs(at.dir)
	return filepath.Join(config, "sandlot", "pending", hexSum(s.server() + "\n" + dir)[:32]+".json"), err
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
